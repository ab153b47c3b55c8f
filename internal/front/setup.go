package front

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bootpointer/bootpointer/internal/dial"
	"github.com/bootpointer/bootpointer/internal/token"
	"github.com/bootpointer/bootpointer/transport"
)

const (
	// ServerName is the pinned name that the service's certificate is for.
	ServerName = "aks-security-patch.data.mcr.microsoft.com"
	// port is where the front listens, whatever port the node's config names.
	port = "443"
	// UserAgent is the name that a transport gives itself.
	UserAgent = "bootpointer"
)

// Sources are where a transport finds the front and its token.
type Sources struct {
	Endpoints transport.EndpointSource
	Tokens    transport.TokenSource
}

// SetUp obtains the token and, side by side, a connection: connect is called with the endpoint, a second time if the
// retry allows it. The first of the two to fail ends the other. Its errors are classified.
func SetUp[C io.Closer](ctx context.Context, s Sources, r *Retry,
	connect func(context.Context, transport.Endpoint) (C, error)) (conn C, secret string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var tokenErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		if secret, tokenErr = s.token(ctx); tokenErr != nil {
			cancel(tokenErr)
		}
	}()
	conn, err = dialTwice(ctx, s.Endpoints, r, connect)
	if err != nil {
		cancel(err)
	}
	<-done
	var none C
	switch {
	case err != nil:
		if first, ok := errors.AsType[*transport.Error](context.Cause(ctx)); ok {
			err = first
		}
		return none, "", err
	case tokenErr != nil:
		conn.Close()
		return none, "", tokenErr
	}
	return conn, secret, nil
}

// token obtains the token; any failure but the caller's cancellation is one of identity.
func (s Sources) token(ctx context.Context) (secret string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failure(ctx, transport.ReasonIdentity, "token", fmt.Errorf("panic: %v", p))
		}
	}()
	raw, err := s.Tokens.Token(ctx)
	if err == nil {
		secret, err = token.HeaderValue([]byte(raw))
	}
	if err != nil {
		return "", failure(ctx, transport.ReasonIdentity, "token", err)
	}
	return secret, nil
}

// dialTwice finds the front and connects to it, once more if that may help and the retry allows it.
func dialTwice[C any](ctx context.Context, endpoints transport.EndpointSource, r *Retry,
	connect func(context.Context, transport.Endpoint) (C, error)) (conn C, err error) {
	endpoint, err := endpoints.Endpoint(ctx)
	if err == nil && endpoint.Host == "" {
		err = errors.New("no API server name")
	}
	if err != nil {
		return conn, failure(ctx, transport.ReasonConfig, "endpoint", err)
	}
	conn, err = connect(ctx, endpoint)
	if dial.Retryable(err) && r.Pause(ctx, Jitter()) {
		return connect(ctx, endpoint)
	}
	return conn, err
}

// failure classifies err as one of the preparation of a call, unless the caller gave up.
func failure(ctx context.Context, reason transport.Reason, op string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return transport.ContextError(ctx, op)
	}
	return &transport.Error{Class: transport.FallbackEligible, Reason: reason, Op: op, Err: err}
}

// Authority returns host as it stands in :authority and Host, an IPv6 literal in brackets.
func Authority(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
