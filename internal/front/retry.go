package front

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bootpointer/bootpointer/transport"
)

// The pause before the one retry is random between these two: long enough for a service that restarts, short
// enough that a node without one boots in well under a second.
const (
	MinPause = 100 * time.Millisecond
	MaxPause = 400 * time.Millisecond
)

// Never is the pause asked for by a service that wants no retry.
const Never time.Duration = -1

// Jitter returns a random pause.
func Jitter() time.Duration { return MinPause + rand.N(MaxPause-MinPause) }

// Retry is the one retry that a fetch has, for its connection and its call together.
type Retry struct{ used bool }

// Pause waits for d before the retry. It reports false, at once, when the retry was used already, is not wanted, or
// would begin after the end of ctx.
func (r *Retry) Pause(ctx context.Context, d time.Duration) bool {
	deadline, bounded := ctx.Deadline()
	if r.used || d < 0 || bounded && time.Until(deadline) <= d {
		return false
	}
	r.used = true
	return sleep(ctx, d)
}

// sleep waits for d and reports whether it could: not when ctx ends before.
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

// NotRepeated is the error of a call whose repetition did not reach the service: what the service said counts.
func NotRepeated(first, second error) error {
	e, ok := errors.AsType[*transport.Error](first)
	if !ok || transport.ClassOf(second) != transport.FallbackEligible {
		return second
	}
	both := *e
	both.Err = fmt.Errorf("%w; once more: %w", e.Err, second)
	return &both
}
