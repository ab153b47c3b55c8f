package bootpointer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/transport"
)

const (
	// stagingTime is what parsing and staging get after the network at least: reading a file again until another
	// writer is done, and two fsyncs on a busy disk.
	stagingTime = time.Second
	// returnGrace is what a check that is over its time gets to say where it was.
	returnGrace = 250 * time.Millisecond
	// reportTime is what the reporter gets at least, and the logger after it; both also get what the network and the
	// staging left over.
	reportTime = 250 * time.Millisecond
)

// Checker learns which hotfix applies to a node and stages it. It is safe for concurrent use.
type Checker struct {
	steps     []transport.Step
	fallback  transport.Transport
	stager    *pointer.Stager
	current   string
	component string
	timeout   time.Duration
	reporter  Reporter
	logger    *slog.Logger
	now       func() time.Time
}

// New returns a checker that asks network in order, stages with stager, and compares with current, the version of the
// program on this node. Steps without a timeout share evenly what the others leave of the network's time. It refuses
// what [transport.NewResolver] refuses, steps that want more than that time together, and one named "fallback".
func New(network []transport.Step, stager *pointer.Stager, current string, opts ...Option) (*Checker, error) {
	c := &Checker{
		steps: append([]transport.Step(nil), network...), stager: stager, current: current,
		component: DefaultComponent, timeout: DefaultTimeout, logger: slog.New(slog.DiscardHandler), now: time.Now,
	}
	for _, opt := range opts {
		if err := opt(c); err != nil {
			return nil, fmt.Errorf("checker: %w", err)
		}
	}
	switch {
	case stager == nil:
		return nil, errors.New("checker: needs a stager")
	case len(network) == 0:
		return nil, errors.New("checker: needs a network transport")
	}
	if err := c.divideTime(); err != nil {
		return nil, fmt.Errorf("checker: %w", err)
	}
	if _, err := c.resolver(c.timeout); err != nil {
		return nil, fmt.Errorf("checker: %w", err)
	}
	return c, nil
}

// divideTime gives every network step its share of the network's time.
func (c *Checker) divideTime() error {
	left, without := c.timeout, 0
	for _, s := range c.steps {
		if s.Name == fallbackName {
			return fmt.Errorf("a network step cannot be named %q", fallbackName)
		}
		if s.Timeout < 0 {
			return fmt.Errorf("step %q has a negative timeout", s.Name)
		}
		if s.Timeout == 0 {
			without++
		}
		left -= s.Timeout
	}
	if left < 0 || without > 0 && left < time.Duration(without) {
		return fmt.Errorf("the steps want more time than the network's %s", c.timeout)
	}
	for i := range c.steps {
		if c.steps[i].Timeout == 0 {
			c.steps[i].Timeout = left / time.Duration(without)
		}
	}
	return nil
}

// Check does the whole job once. It always returns, at the latest 1.75 s after the network's time is over, and it never
// panics. When ctx is cancelled nothing is asked or staged any more.
func (c *Checker) Check(ctx context.Context) Result {
	start := c.now()
	r := c.bounded(ctx)
	r.Start, r.Duration = start, c.now().Sub(start)
	if c.reporter != nil {
		snapshot := r
		if err := c.guarded(ctx, r, func(ctx context.Context) error { return c.reporter.Report(ctx, snapshot) }); err != nil {
			r.Warnings = append(r.Warnings, "report: "+err.Error())
		}
	}
	snapshot := r
	if err := c.guarded(ctx, r, func(ctx context.Context) error { return c.log(ctx, snapshot) }); err != nil {
		r.Warnings = append(r.Warnings, "log: "+err.Error())
	}
	return r
}

// bounded runs the check and stays in charge when it panics or does not return.
func (c *Checker) bounded(ctx context.Context) Result {
	network := c.networkTime(ctx)
	ctx, cancel := context.WithTimeout(ctx, network+stagingTime)
	defer cancel()
	results, partial := make(chan Result, 1), make(chan Result, 1)
	go func() {
		r := c.newResult()
		defer func() {
			if p := recover(); p != nil {
				r.Outcome, r.Err = OutcomeFailed, fmt.Errorf("panic: %v", p)
			}
			results <- r
		}()
		c.run(ctx, network, &r, partial)
	}()
	select {
	case r := <-results:
		return r
	case <-ctx.Done():
	}
	grace := time.NewTimer(returnGrace)
	defer grace.Stop()
	select {
	case r := <-results:
		return r
	case <-grace.C:
		r := c.newResult()
		select {
		case r = <-partial: // the staging hangs
		default:
		}
		r.fail(transport.ContextError(ctx, "check does not return, reading or writing hangs"))
		return r
	}
}

// networkTime is the timeout, or less when ctx ends early: the fallback and the staging come after the network.
func (c *Checker) networkTime(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return c.timeout
	}
	left := time.Until(deadline)
	return max(min(c.timeout, left-min(stagingTime, left/4)), time.Nanosecond)
}

func (c *Checker) newResult() Result {
	return Result{Outcome: OutcomeFailed, PointerPath: c.stager.Path(), Component: c.component, CurrentVersion: c.current}
}

// resolver returns the chain, its network steps cut down to network in all.
func (c *Checker) resolver(network time.Duration) (*transport.Resolver, error) {
	steps := make([]transport.Step, 0, len(c.steps)+1)
	for _, s := range c.steps {
		s.Timeout = max(time.Duration(float64(s.Timeout)*float64(network)/float64(c.timeout)), time.Nanosecond)
		steps = append(steps, s)
	}
	if c.fallback != nil {
		steps = append(steps, transport.Step{Name: fallbackName, Transport: c.fallback})
	}
	return transport.NewResolver(steps...)
}

// run resolves, parses and stages, and fills in r as it goes. What it has before it stages goes to partial as well.
func (c *Checker) run(ctx context.Context, network time.Duration, r *Result, partial chan<- Result) {
	resolver, err := c.resolver(network)
	if err != nil {
		r.fail(err)
		return
	}
	var answer pointer.Pointer
	accept := func(step string, doc transport.Document) error {
		p, warnings, err := pointer.Parse(doc.Body)
		if err != nil {
			return &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonMalformed, Err: err}
		}
		for _, w := range warnings {
			r.Warnings = append(r.Warnings, step+": "+string(w))
		}
		if p.Empty() {
			return emptyAnswer(step)
		}
		answer = p
		return nil
	}
	resolution, err := resolver.Resolve(ctx, transport.Request{Component: c.component}, transport.WithAccept(accept))
	r.addAttempts(resolution.Attempts)
	r.Source = answeredBy(resolution.Attempts)
	if err != nil {
		r.fail(err)
		return
	}
	partial <- *r
	c.stage(ctx, answer, r)
}

// emptyAnswer is the error of a document without entries. Empty from the service means that nothing is published;
// empty in the node's own config means that there is no pointer.
func emptyAnswer(step string) error {
	err := errors.New("the document has no hotfixes")
	if step == fallbackName {
		return &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonNoPointer, Err: err}
	}
	return &transport.Error{Class: transport.Benign, Reason: transport.ReasonEmpty, Err: err}
}

// stage writes the answer and decides the outcome.
func (c *Checker) stage(ctx context.Context, answer pointer.Pointer, r *Result) {
	stage, fromFallback := c.stager.Stage, r.Source == fallbackName
	if fromFallback {
		stage = c.stager.Merge
	}
	changed, err := stage(ctx, answer)
	r.Changed = changed
	if ended := transport.ContextError(ctx, "stage"); err != nil && ended != nil {
		r.Code = ""
		err = ended
		if r.Reason = transport.ReasonDeadline; errors.Is(ended, context.Canceled) {
			r.Reason = transport.ReasonCanceled
		}
	}
	if err != nil {
		r.fail(err)
		return
	}
	r.Staged = true
	if _, ok := pointer.Base(c.current); !ok {
		r.Warnings = append(r.Warnings, fmt.Sprintf("current version %.64q is not YYYYMM.DD.PATCH: no hotfix can match it", c.current))
	}
	version, found := answer.Resolve(c.current)
	if fromFallback {
		version = c.higherStaged(version)
	}
	r.ResolvedVersion, r.WouldUpgrade = version, pointer.ShouldUpgrade(c.current, version)
	switch {
	case fromFallback:
		r.Outcome = OutcomeCustomDataFallback
	case found:
		r.Outcome = OutcomeLPSRead
	default:
		r.Outcome = OutcomeNoHotfixForBase
	}
}

// higherStaged returns the version in the file for this node where that is higher than version: the merge has kept it.
func (c *Checker) higherStaged(version string) string {
	staged, _, err := pointer.ReadFile(c.stager.Path())
	if err != nil || staged.Empty() {
		return version
	}
	there, ok := staged.Resolve(c.current)
	if ok && (version == "" || pointer.ShouldUpgrade(version, there)) {
		return there
	}
	return version
}

// fail ends the check with err, which is no failure when it is benign.
func (r *Result) fail(err error) {
	r.Outcome, r.Err = OutcomeFailed, err
	if transport.ClassOf(err) == transport.Benign {
		r.Outcome = OutcomeNoHotfixAvailable
	}
}

// guarded runs the host's code that tells of a result. It gets its time even when ctx is cancelled, and no more.
func (c *Checker) guarded(ctx context.Context, r Result, tell func(context.Context) error) error {
	limit := reportTime
	if ctx.Err() == nil {
		limit = max(limit, c.timeout+stagingTime-c.now().Sub(r.Start))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	errs := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			errs <- err
		}()
		err = tell(ctx)
	}()
	select {
	case err := <-errs:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Checker) log(ctx context.Context, r Result) error {
	c.logger.LogAttrs(ctx, slog.LevelInfo, "check-hotfix", r.logAttrs()...)
	return nil
}

// logAttrs is the result as one log line.
func (r Result) logAttrs() []slog.Attr {
	return []slog.Attr{
		slog.String("outcome", string(r.Outcome)), slog.String("source", r.Source),
		slog.String("reason", string(r.Reason)), slog.String("code", r.Code),
		slog.Bool("staged", r.Staged), slog.Bool("changed", r.Changed),
		slog.String("current_version", r.CurrentVersion), slog.String("resolved_version", r.ResolvedVersion),
		slog.Bool("would_upgrade", r.WouldUpgrade), slog.Int64("duration_ms", r.Duration.Milliseconds()),
		slog.Int("attempts", len(r.Attempts)), slog.Any("warnings", append([]string{}, r.Warnings...)), slog.String("error", r.Cause()),
	}
}
