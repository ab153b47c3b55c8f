package grpc

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc/metadata"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

// Transport fetches documents over gRPC. It is safe for concurrent use. It keeps its connection until
// [Transport.Close]; concurrent fetches share it and its token.
type Transport struct {
	sources front.Sources
	options options

	mu         sync.Mutex
	current    *session
	pending    *setup
	generation int // how often Close was called
}

var _ transport.Transport = (*Transport)(nil)

// New returns a transport that finds the front with endpoints and presents the token of tokens. It connects when
// it first fetches.
func New(endpoints transport.EndpointSource, tokens transport.TokenSource, opts ...Option) (*Transport, error) {
	if endpoints == nil || tokens == nil {
		return nil, errors.New("grpc transport: needs an endpoint source and a token source")
	}
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	return &Transport{sources: front.Sources{Endpoints: endpoints, Tokens: tokens}, options: o}, nil
}

// Close closes the connection. Fetches under way fail; a later fetch connects anew.
func (t *Transport) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.generation++
	if t.current == nil {
		return nil
	}
	err := t.current.cc.Close()
	t.retire(t.current)
	return err
}

// Fetch implements [transport.Transport].
//
// Token and connection are set up side by side, in three quarters of the time that ctx has, 4 s when it has no
// deadline. The call gets what is left of that, and at least the last quarter or 1 s, whichever is less, when one
// of the two came late. There is one retry at most, after a pause of 100 to 400 ms or what the service asks for, and
// only after a lost connection or Unavailable.
func (t *Transport) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	if req.Component == "" {
		return transport.Document{}, &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonConfig,
			Err: errors.New("request names no component")}
	}
	if err := transport.ContextError(ctx, "fetch"); err != nil {
		return transport.Document{}, err
	}
	b, ctx, cancel := front.NewBudget(ctx)
	defer cancel()
	r := new(front.Retry)
	doc, trailer, err := t.try(ctx, b, r, req)
	if !again(err) || !r.Pause(ctx, pushback(trailer)) {
		return doc, err
	}
	t.options.Logger().DebugContext(ctx, "calling once more", "error", err)
	doc, trailer, second := t.try(ctx, b, r, req)
	if second != nil && trailer == nil {
		return transport.Document{}, front.NotRepeated(err, second)
	}
	return doc, second
}

// try makes one call, on the open session or a new one. The trailer is nil if no call was made.
func (t *Transport) try(ctx context.Context, b front.Budget, r *front.Retry, req transport.Request) (transport.Document, metadata.MD, error) {
	s, err := t.acquire(ctx, b, r)
	if err != nil {
		return transport.Document{}, nil, err
	}
	defer t.release(s)
	ctx, cancel := b.ForCall(ctx)
	defer cancel()
	return s.call(ctx, req)
}
