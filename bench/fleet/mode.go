package main

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/lpstest"
)

const (
	// slowness is how long the slow service takes for an answer.
	slowness = time.Second
	// outage is how long a service that recovers is away, or hangs before it restarts.
	outage = 2 * time.Second
	// pushback is the pause that the service asks for where it asks for one, in ms.
	pushback = "1000"

	component = bootpointer.DefaultComponent
	current   = "202604.01.0"
	document  = `{"hotfixes":{"202604.01":"202604.01.2"}}`
)

// mode is one way for the service to behave, and what a node may do then.
type mode struct {
	name, about string
	// minCalls and maxCalls are the calls that a node makes, outcomes what it may come to.
	minCalls, maxCalls int
	outcomes           []bootpointer.Outcome
	// replies are the service's script from the start; none is a healthy service.
	replies []lpstest.Reply
	// later changes the service while the nodes boot. admit is how many calls may pass in each bucket.
	later func(ctx context.Context, s *lpstest.Server, admit int) error
	// passing is a state of the service that ends while nodes boot.
	passing bool
	// surges is a service that makes nodes come back together, a herd within the window.
	surges bool
	// refuses is a port where nobody listens in the service's place.
	refuses bool
}

// modes returns all of them, in the order of the report.
func modes() []mode {
	const (
		read     = bootpointer.OutcomeLPSRead
		fallback = bootpointer.OutcomeCustomDataFallback
		failed   = bootpointer.OutcomeFailed
	)
	unavailable := lpstest.Reply{Code: codes.Unavailable, Message: "no healthy upstream"}
	asking := func(ms string) lpstest.Reply {
		r := unavailable
		r.Trailer = metadata.Pairs("grpc-retry-pushback-ms", ms)
		return r
	}
	is := func(o ...bootpointer.Outcome) []bootpointer.Outcome { return o }
	return []mode{
		{name: "healthy", about: "answers at once", minCalls: 1, maxCalls: 1, outcomes: is(read)},
		{name: "slow", about: "answers after 1 s", minCalls: 1, maxCalls: 1, outcomes: is(read),
			replies: []lpstest.Reply{{Config: document, Delay: slowness}}},
		{name: "unavailable", about: "Unavailable throughout, as from a front without a service behind it", minCalls: 2, maxCalls: 2, outcomes: is(fallback),
			replies: []lpstest.Reply{unavailable}},
		{name: "hanging", about: "takes the call and never answers", minCalls: 1, maxCalls: 1, outcomes: is(fallback),
			replies: []lpstest.Reply{{Hang: true}}},
		{name: "refusing", about: "refuses connections", outcomes: is(fallback), refuses: true},
		{name: "recovering", about: "Unavailable for 2 s, then healthy", minCalls: 1, maxCalls: 2, outcomes: is(read, fallback),
			replies: []lpstest.Reply{unavailable}, later: recovers, passing: true},
		{name: "restarting", about: "hangs for 2 s, then dies with every connection and is back at once, healthy",
			minCalls: 1, maxCalls: 2, outcomes: is(read, fallback), replies: []lpstest.Reply{{Hang: true}}, later: restarts, passing: true, surges: true},
		{name: "rate-limited", about: "admits half of the mean arrivals, ResourceExhausted for the rest",
			minCalls: 1, maxCalls: 1, outcomes: is(read, failed), replies: []lpstest.Reply{exhausted()}, later: admits},
		{name: "pushback no", about: "Unavailable, with `grpc-retry-pushback-ms: -1`", minCalls: 1, maxCalls: 1, outcomes: is(fallback),
			replies: []lpstest.Reply{asking("-1")}},
		{name: "pushback 1 s", about: "Unavailable, with `grpc-retry-pushback-ms: " + pushback + "`", minCalls: 2, maxCalls: 2, outcomes: is(fallback),
			replies: []lpstest.Reply{asking(pushback)}},
	}
}

func modeNamed(name string) (mode, bool) {
	for _, m := range modes() {
		if m.name == name {
			return m, true
		}
	}
	return mode{}, false
}

func recovers(ctx context.Context, s *lpstest.Server, _ int) error {
	if sleep(ctx, outage) {
		s.Respond()
	}
	return nil
}

// restarts heals the service before it dies, so that no call after the restart meets the old script.
func restarts(ctx context.Context, s *lpstest.Server, _ int) error {
	if !sleep(ctx, outage) {
		return nil
	}
	s.Respond()
	s.Stop()
	return s.Restart()
}

func exhausted() lpstest.Reply {
	return lpstest.Reply{Code: codes.ResourceExhausted, Message: "too many requests"}
}

// admits lets admit calls through in each bucket; what one bucket leaves over is lost to the next.
func admits(ctx context.Context, s *lpstest.Server, admit int) error {
	script := make([]lpstest.Reply, admit, admit+1)
	for i := range script {
		script[i] = lpstest.Reply{Config: document}
	}
	script = append(script, exhausted())
	for s.Respond(script...); sleep(ctx, bucket); s.Respond(script...) {
	}
	return nil
}

// sleep waits for d and reports whether ctx let it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
