package front

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

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

// sourceGrace is how long a token source may take to return after its context is done. After that it is left behind.
const sourceGrace = 50 * time.Millisecond

// obtained is a token, or why there is none.
type obtained struct {
	secret string
	err    error
}

// SetUp obtains the token and, side by side, a connection: connect is called with the endpoint, a second time if the
// retry allows it. The first of the two to fail ends the other. Its errors are classified.
func SetUp[C io.Closer](ctx context.Context, s Sources, r *Retry,
	connect func(context.Context, transport.Endpoint) (C, error)) (conn C, secret string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tokens := make(chan obtained, 1)
	go func() {
		var t obtained
		if t.secret, t.err = obtain(ctx, s.Tokens); t.err != nil {
			cancel(t.err)
		}
		tokens <- t
	}()
	conn, err = dialFront(ctx, s.Endpoints, r, connect)
	if err != nil {
		cancel(err)
	}
	t := await(ctx, tokens)
	var none C
	switch {
	case err != nil:
		if first, ok := errors.AsType[*transport.Error](context.Cause(ctx)); ok {
			err = first
		}
		return none, "", err
	case t.err != nil:
		conn.Close()
		return none, "", t.err
	}
	return conn, t.secret, nil
}

func await(ctx context.Context, tokens <-chan obtained) obtained {
	select {
	case t := <-tokens:
		return t
	case <-ctx.Done():
	}
	grace := time.NewTimer(sourceGrace)
	defer grace.Stop()
	select {
	case t := <-tokens:
		return t
	case <-grace.C:
		return obtained{err: failure(ctx, transport.ReasonIdentity, "token", ctx.Err())}
	}
}

// obtain gets the token; any failure but the caller's cancellation is one of identity.
func obtain(ctx context.Context, tokens transport.TokenSource) (secret string, err error) {
	defer recovered(ctx, transport.ReasonIdentity, "token", &err)
	raw, err := tokens.Token(ctx)
	if err == nil {
		secret, err = token.HeaderValue([]byte(raw))
	}
	if err != nil {
		return "", failure(ctx, transport.ReasonIdentity, "token", err)
	}
	return secret, nil
}

// find gets the endpoint; any failure but the caller's cancellation is one of config.
func find(ctx context.Context, endpoints transport.EndpointSource) (e transport.Endpoint, err error) {
	defer recovered(ctx, transport.ReasonConfig, "endpoint", &err)
	e, err = endpoints.Endpoint(ctx)
	if err == nil && e.Host == "" {
		err = errors.New("no API server name")
	}
	if err != nil {
		return transport.Endpoint{}, failure(ctx, transport.ReasonConfig, "endpoint", err)
	}
	return e, nil
}

// dialFront finds the front and connects to it, once more if that may help and the retry allows it. While the node has
// no route it waits for one, which is no retry: the service has seen nothing.
func dialFront[C any](ctx context.Context, endpoints transport.EndpointSource, r *Retry,
	connect func(context.Context, transport.Endpoint) (C, error)) (conn C, err error) {
	defer recovered(ctx, transport.ReasonConnect, "dial", &err)
	endpoint, err := find(ctx, endpoints)
	if err != nil {
		return conn, err
	}
	for {
		before := err
		conn, err = connect(ctx, endpoint)
		switch {
		case dial.NoRoute(err) && sleep(ctx, Jitter()):
		case dial.Retryable(err) && r.Pause(ctx, Jitter()):
		case before != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
			return conn, before // what the end of the time cut short says less
		default:
			return conn, err
		}
	}
}

// recovered turns a panic of a host's code into an error.
func recovered(ctx context.Context, reason transport.Reason, op string, err *error) {
	if p := recover(); p != nil {
		*err = failure(ctx, reason, op, fmt.Errorf("panic: %v", p))
	}
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
