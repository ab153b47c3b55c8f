package https

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

// Transport fetches the service's one document over HTTPS. It is safe for concurrent use, keeps nothing between fetches
// and needs no closing.
type Transport struct {
	sources front.Sources
	options options
}

var _ transport.Transport = (*Transport)(nil)

// New returns a transport that finds the front with endpoints and presents the token of tokens.
func New(endpoints transport.EndpointSource, tokens transport.TokenSource, opts ...Option) (*Transport, error) {
	if endpoints == nil || tokens == nil {
		return nil, errors.New("https transport: needs an endpoint source and a token source")
	}
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	return &Transport{sources: front.Sources{Endpoints: endpoints, Tokens: tokens}, options: o}, nil
}

// Fetch implements [transport.Transport]. A request for another component than the service's is fallback-eligible: nobody
// was asked, and another transport may have it.
//
// Token and connection are set up side by side, in three quarters of the time that ctx has, 4 s when it has no
// deadline. The request gets what is left of that, and at least the last quarter or 1 s, whichever is less, when one of
// the two came late. There is one retry at most, on a new connection, after a pause of 100 to 400 ms on top of what
// Retry-After asks for, and only after a lost connection, 502, 503 or 504.
func (t *Transport) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	if req.Component != t.options.component {
		return transport.Document{}, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConfig,
			Err: fmt.Errorf("the service has the document of %q over HTTPS, asked for %.64q", t.options.component, req.Component)}
	}
	if err := transport.ContextError(ctx, "fetch"); err != nil {
		return transport.Document{}, err
	}
	b, ctx, cancel := front.NewBudget(ctx)
	defer cancel()
	r := new(front.Retry)
	s, err := t.connect(ctx, b, r, t.sources)
	if err != nil {
		return transport.Document{}, err
	}
	doc, pause, err := s.get(ctx, b, req)
	if !wait(ctx, b, r, pause) {
		return doc, err
	}
	t.options.Logger().DebugContext(ctx, "asking once more", "error", err)
	known := front.Sources{Endpoints: t.sources.Endpoints, Tokens: transport.StaticToken(s.secret)}
	s, second := t.connect(ctx, b, r, known)
	if second != nil {
		return transport.Document{}, front.NotRepeated(err, second)
	}
	doc, _, err = s.get(ctx, b, req)
	return doc, err
}

// wait waits before the retry, which has to begin while there is still time to connect.
func wait(ctx context.Context, b front.Budget, r *front.Retry, pause time.Duration) bool {
	ctx, cancel := b.ForSetUp(ctx)
	defer cancel()
	return r.Pause(ctx, pause)
}
