package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/go-multierror"
)

// returnGrace is how long a step may take to return after its context is done, so that a transport can still say
// what it was waiting for. After that it is abandoned.
const returnGrace = 100 * time.Millisecond

// Step is one transport of a chain.
type Step struct {
	// Name is how reports call the step, for example "grpc".
	Name string
	// Transport is asked when every step before it failed with a fallback-eligible error.
	Transport Transport
	// Timeout is the step's share of the chain's time. What the steps before it left over is added. 0 sets no
	// limit, and the time it takes counts against no later step.
	Timeout time.Duration
}

// Attempt is what became of one step.
type Attempt struct {
	// Step is the name of the step.
	Step string
	// Class is that of Err, and zero for the step that answered.
	Class Class
	// Reason is that of Err. For an error nobody classified it is empty unless it is a context's.
	Reason Reason
	// Code is the status of the answer, as in [Error] and [Document].
	Code string
	// Duration is the time the step took, on the monotonic clock.
	Duration time.Duration
	// Err is nil for the step that answered.
	Err error
}

// Resolution is the answer of a chain.
type Resolution struct {
	// Document is the first answer, and the zero value where there was none.
	Document Document
	// Step is the name of the step that answered.
	Step string
	// Attempts has every step that was asked, in order, the one that answered included.
	Attempts []Attempt
}

// Resolver asks the steps of a chain in order. It is safe for concurrent use.
type Resolver struct {
	steps []Step
	now   func() time.Time
}

// NewResolver returns a resolver for steps, in this order. It refuses an empty chain, a step without a name or a
// transport, a name used twice and a negative timeout.
func NewResolver(steps ...Step) (*Resolver, error) {
	if len(steps) == 0 {
		return nil, errors.New("resolver: no steps")
	}
	seen := make(map[string]bool, len(steps))
	for i, s := range steps {
		switch {
		case s.Name == "":
			return nil, fmt.Errorf("resolver: step %d has no name", i+1)
		case s.Transport == nil:
			return nil, fmt.Errorf("resolver: step %q has no transport", s.Name)
		case s.Timeout < 0:
			return nil, fmt.Errorf("resolver: step %q has a negative timeout", s.Name)
		case seen[s.Name]:
			return nil, fmt.Errorf("resolver: two steps are named %q", s.Name)
		}
		seen[s.Name] = true
	}
	return &Resolver{steps: append([]Step(nil), steps...), now: time.Now}, nil
}

// ResolveOption changes one call of [Resolver.Resolve].
type ResolveOption func(*resolveOptions)

type resolveOptions struct {
	accept func(step string, doc Document) error
}

// WithAccept has every document checked before the chain ends with it. An error of accept is the step's error:
// its class decides what follows. The default accepts every document.
func WithAccept(accept func(step string, doc Document) error) ResolveOption {
	return func(o *resolveOptions) { o.accept = accept }
}

// Resolve asks step after step until one answers, or one fails with an error that is not [FallbackEligible], or
// ctx is done. A cancelled ctx never starts another step.
//
// The error is nil or a *multierror.Error with one entry per attempt, on one line; [ClassOf] gives its class, and
// [errors.Is] and [errors.As] reach every cause. The attempts are returned on failure too. A step that panics has
// failed; a step that does not return when its time is over is left behind after 100 ms.
func (r *Resolver) Resolve(ctx context.Context, req Request, opts ...ResolveOption) (Resolution, error) {
	o := resolveOptions{accept: func(string, Document) error { return nil }}
	for _, opt := range opts {
		opt(&o)
	}
	var res Resolution
	deadline := r.now()
	for _, s := range r.steps {
		began := r.now()
		if s.Timeout > 0 {
			deadline = deadline.Add(s.Timeout)
		}
		doc, err := ask(ctx, s, deadline, req, o)
		took := r.now().Sub(began)
		if s.Timeout == 0 {
			deadline = deadline.Add(took)
		}
		res.Attempts = append(res.Attempts, newAttempt(s.Name, doc.Code, took, err))
		if err == nil {
			res.Document, res.Step = doc, s.Name
			return res, nil
		}
		if ClassOf(err) != FallbackEligible || ctx.Err() != nil {
			break
		}
	}
	return res, chainError(res.Attempts)
}

// ask runs one step inside its deadline, unless ctx is done already. It returns the document with an error of accept
// too, for the sake of its code.
func ask(ctx context.Context, s Step, deadline time.Time, req Request, o resolveOptions) (Document, error) {
	if err := ContextError(ctx, "before "+s.Name); err != nil {
		return Document{}, err
	}
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	doc, err := fetch(ctx, s.Transport, req)
	if err != nil {
		return Document{}, err
	}
	if err := check(doc, req); err != nil {
		return doc, err
	}
	return doc, o.accept(s.Name, doc)
}

// fetch calls the transport, and stays in charge when it panics or does not return.
func fetch(ctx context.Context, t Transport, req Request) (Document, error) {
	type reply struct {
		doc Document
		err error
	}
	replies := make(chan reply, 1)
	go func() {
		var r reply
		defer func() {
			if p := recover(); p != nil {
				r = reply{err: fmt.Errorf("panic: %v", p)}
			}
			replies <- r
		}()
		r.doc, r.err = t.Fetch(ctx, req)
	}()
	select {
	case r := <-replies:
		return r.doc, r.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(returnGrace)
	defer grace.Stop()
	select {
	case r := <-replies:
		return r.doc, r.err
	case <-grace.C:
		return Document{}, ContextError(ctx, "abandoned")
	}
}

// check enforces the contract on transports that are not ours.
func check(doc Document, req Request) error {
	switch {
	case len(doc.Body) > MaxDocumentSize:
		return &Error{Class: Authoritative, Reason: ReasonMalformed,
			Err: fmt.Errorf("document has %d bytes, at most %d are allowed", len(doc.Body), MaxDocumentSize)}
	case doc.Component != req.Component:
		return &Error{Class: Authoritative, Reason: ReasonMalformed,
			Err: fmt.Errorf("document is for component %.64q, asked for %.64q", doc.Component, req.Component)}
	}
	return nil
}

func newAttempt(step, code string, took time.Duration, err error) Attempt {
	a := Attempt{Step: step, Class: ClassOf(err), Code: code, Duration: took, Err: err}
	if e, ok := errors.AsType[*Error](err); ok && e != nil {
		a.Reason = e.Reason
		if e.Code != "" {
			a.Code = e.Code
		}
		return a
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		a.Reason = ReasonDeadline
	case errors.Is(err, context.Canceled):
		a.Reason = ReasonCanceled
	}
	return a
}

func chainError(attempts []Attempt) error {
	chain := &multierror.Error{ErrorFormat: formatChain}
	for _, a := range attempts {
		chain.Errors = append(chain.Errors, fmt.Errorf("%s: %w", a.Step, a.Err))
	}
	return chain
}

func formatChain(errs []error) string {
	lines := make([]string, len(errs))
	for i, err := range errs {
		lines[i] = oneLine(err.Error())
	}
	return strings.Join(lines, "; ")
}
