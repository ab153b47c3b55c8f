package transporttest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bootpointer/bootpointer/transport"
)

// Reply is one scripted answer of a [Fake].
type Reply struct {
	// Document is returned when Err is nil. An empty component becomes the one asked for.
	Document transport.Document
	// Err is returned as it is.
	Err error
	// Delay is waited for first, or until the context is done.
	Delay time.Duration
	// Hang waits for nothing but the context.
	Hang bool
	// Panic is panicked with when it is not nil.
	Panic any
}

// Body is the reply with a document of this text.
func Body(text string) Reply { return Reply{Document: transport.Document{Body: []byte(text)}} }

// Failure is the reply with an error of this class and reason.
func Failure(class transport.Class, reason transport.Reason) Reply {
	return Reply{Err: &transport.Error{Class: class, Reason: reason, Err: errors.New("scripted failure")}}
}

// Fake is a scripted transport. Each fetch takes the next reply; the last one stays. It is safe for concurrent use.
type Fake struct {
	mu       sync.Mutex
	replies  []Reply
	requests []transport.Request
}

var _ transport.Transport = (*Fake)(nil)

// NewFake returns a fake with this script. Without replies every fetch fails, fallback-eligible.
func NewFake(replies ...Reply) *Fake {
	if len(replies) == 0 {
		replies = []Reply{Failure(transport.FallbackEligible, transport.ReasonConnect)}
	}
	return &Fake{replies: replies}
}

// Requests returns what was asked so far, in order.
func (f *Fake) Requests() []transport.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]transport.Request(nil), f.requests...)
}

// Fetch implements [transport.Transport].
func (f *Fake) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	if err := transport.ContextError(ctx, "fake"); err != nil {
		return transport.Document{}, err
	}
	r := f.next(req)
	if r.Panic != nil {
		panic(r.Panic)
	}
	if err := wait(ctx, r); err != nil {
		return transport.Document{}, err
	}
	if r.Err != nil {
		return transport.Document{}, r.Err
	}
	doc := r.Document
	doc.Body = append([]byte(nil), doc.Body...)
	if doc.Component == "" {
		doc.Component = req.Component
	}
	return doc, nil
}

func (f *Fake) next(req transport.Request) Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, req)
	r := f.replies[0]
	if len(f.replies) > 1 {
		f.replies = f.replies[1:]
	}
	return r
}

func wait(ctx context.Context, r Reply) error {
	if r.Hang {
		<-ctx.Done()
		return transport.ContextError(ctx, "fake")
	}
	if r.Delay <= 0 {
		return nil
	}
	timer := time.NewTimer(r.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return transport.ContextError(ctx, "fake")
	}
}
