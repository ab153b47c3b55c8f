package grpc

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/bootpointer/bootpointer/transport"
)

// The pause before the one retry is random between these two: long enough for a service that restarts, short
// enough that a node without one boots in well under a second.
const (
	minPause = 100 * time.Millisecond
	maxPause = 400 * time.Millisecond
)

// neverAgain is the pause asked for by a service that wants no retry.
const neverAgain time.Duration = -1

// jitter returns a random pause.
func jitter() time.Duration { return minPause + rand.N(maxPause-minPause) }

// retry is the one retry that a fetch has, for its connection and its call together.
type retry struct{ used bool }

// pause waits for d before the retry. It reports false, at once, when the retry was used already, is not wanted, or
// would begin after the end of ctx.
func (r *retry) pause(ctx context.Context, d time.Duration) bool {
	deadline, bounded := ctx.Deadline()
	if r.used || d < 0 || bounded && time.Until(deadline) <= d {
		return false
	}
	r.used = true
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// again reports whether the same call may be made once more: after Unavailable, sent or made up. A stream that the
// library has repeated on its own counts as the retry, and whoever says "too many requests" gets no more of them.
func again(err error, a answer) bool {
	if e, ok := errors.AsType[*transport.Error](err); ok && e.Reason == transport.ReasonHTTPStatus && e.Code == "429" {
		return false
	}
	return transport.ClassOf(err) == transport.FallbackEligible && status.Code(err) == codes.Unavailable && a.streams < 2
}

// pushback returns how long the service asks to wait before a retry, or a random pause if it asks for nothing.
func (a answer) pushback() time.Duration {
	asked := a.trailer.Get("grpc-retry-pushback-ms")
	if len(asked) == 0 {
		return jitter()
	}
	ms, err := strconv.ParseInt(asked[0], 10, 32)
	if err != nil || ms < 0 || len(asked) > 1 {
		return neverAgain
	}
	return time.Duration(ms) * time.Millisecond
}
