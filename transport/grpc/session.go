package grpc

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

const (
	// maxSessionAge is how long a connection and its token are used again. A token that has expired would be
	// refused, and a refusal reads as nothing being published; attested documents live for hours.
	maxSessionAge = 5 * time.Minute
	// leaderGrace is how long a fetch that waits for the set-up of another one waits beyond its own time, so that both
	// say the same when they end together.
	leaderGrace = 50 * time.Millisecond
)

var errClosed = &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect,
	Err: errors.New("the transport was closed")}

// session is one verified connection and the token presented on it.
type session struct {
	cc     *grpc.ClientConn
	secret string
	op     string // what a call is named in errors
	born   time.Time

	// calls are those under way, retired says that no more may begin. Both belong to Transport.mu.
	calls   int
	retired bool
}

// usable reports whether another call can be made on s.
func (s *session) usable() bool {
	return s.cc.GetState() == connectivity.Ready && time.Since(s.born) < maxSessionAge
}

// setup is a session that one fetch sets up and others wait for.
type setup struct {
	done chan struct{}
	err  error
}

// acquire returns the open session, or sets up a new one. Whoever gets it releases it.
func (t *Transport) acquire(ctx context.Context, b front.Budget, r *front.Retry) (*session, error) {
	ctx, cancel := b.ForSetUp(ctx)
	defer cancel()
	for {
		s, pending, lead := t.join()
		switch {
		case s != nil:
			return s, nil
		case lead:
			return t.lead(ctx, r, pending)
		}
		if err := pending.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// join takes the current session if it can be used, or else finds the set-up under way, or begins one as its leader.
func (t *Transport) join() (s *session, pending *setup, lead bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != nil && t.current.usable() {
		t.current.calls++
		return t.current, nil, false
	}
	t.retire(t.current)
	if t.pending == nil {
		t.pending, lead = &setup{done: make(chan struct{})}, true
	}
	return nil, t.pending, lead
}

// wait waits for another fetch's set-up and returns its error. It returns nil when there is a session, or when that
// fetch was cancelled and this one has to see for itself.
func (p *setup) wait(ctx context.Context) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		grace := time.NewTimer(leaderGrace)
		defer grace.Stop()
		select {
		case <-p.done:
		case <-grace.C:
			return transport.ContextError(ctx, "waiting for the connection")
		}
	}
	if err := transport.ContextError(ctx, "waiting for the connection"); err != nil && errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(p.err, context.Canceled) {
		return nil
	}
	return p.err
}

// lead sets up the session that pending stands for.
func (t *Transport) lead(ctx context.Context, r *front.Retry, pending *setup) (*session, error) {
	t.mu.Lock()
	generation := t.generation
	t.mu.Unlock()
	s, err := t.establish(ctx, r)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && generation != t.generation {
		s.cc.Close()
		err = errClosed
	}
	t.pending, pending.err = nil, err
	close(pending.done)
	if err != nil {
		return nil, err
	}
	t.current = s
	s.calls++
	return s, nil
}

// release ends one use of s. A session that cannot be used again is retired.
func (t *Transport) release(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.calls--
	if s.retired && s.calls == 0 {
		s.cc.Close()
	} else if !s.usable() {
		t.retire(s)
	}
}

// retire has s closed when its last call ends, and forgotten at once. t.mu is held.
func (t *Transport) retire(s *session) {
	if s == nil || s.retired {
		return
	}
	s.retired = true
	if t.current == s {
		t.current = nil
	}
	if s.calls == 0 {
		s.cc.Close()
	}
}

// establish gets the token and the connection side by side.
func (t *Transport) establish(ctx context.Context, r *front.Retry) (*session, error) {
	var address string
	cc, secret, err := front.SetUp(ctx, t.sources, r, func(ctx context.Context, e transport.Endpoint) (*grpc.ClientConn, error) {
		address = t.options.Address(e.Host)
		return t.connect(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	return &session{cc: cc, secret: secret, op: "call to " + address, born: time.Now()}, nil
}

// connect opens a verified HTTP/2 connection to the front.
func (t *Transport) connect(ctx context.Context, e transport.Endpoint) (*grpc.ClientConn, error) {
	conn, err := t.options.Connect(ctx, e, front.GRPCHello(e.Host))
	if err != nil {
		return nil, err
	}
	return newClientConn(ctx, conn, front.Authority(e.Host))
}
