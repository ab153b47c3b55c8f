package front

import (
	"context"
	"time"
)

// defaultTime is the time of a fetch whose context has no deadline: that of a node's network step.
const defaultTime = 4 * time.Second

// maxReserve is the most that is kept back for a call whose token or connection came late.
const maxReserve = time.Second

// Budget divides the time of one fetch: setting up ends at setUp, everything ends at hard.
type Budget struct {
	setUp, hard time.Time
	reserve     time.Duration
}

// NewBudget divides the time ctx has, 4 s if it has no deadline: three quarters for setting up, and at least the last
// quarter or 1 s, whichever is less, for a call that begins late. The ctx it returns ends when all of it is over.
func NewBudget(ctx context.Context) (Budget, context.Context, context.CancelFunc) {
	now := time.Now()
	hard, ok := ctx.Deadline()
	if !ok {
		hard = now.Add(defaultTime)
	}
	setUp := SetUpTime(hard.Sub(now))
	ctx, cancel := context.WithDeadline(ctx, hard)
	return Budget{setUp: now.Add(setUp), hard: hard, reserve: hard.Sub(now) - setUp}, ctx, cancel
}

// SetUpTime is what setting up gets of the whole time of a fetch.
func SetUpTime(whole time.Duration) time.Duration { return whole - min(maxReserve, whole/4) }

// ForSetUp bounds the preparation of a call.
func (b Budget) ForSetUp(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, b.setUp)
}

// ForCall bounds a call that begins now.
func (b Budget) ForCall(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(b.reserve)
	if end.Before(b.setUp) {
		end = b.setUp
	}
	if end.After(b.hard) {
		end = b.hard
	}
	return context.WithDeadline(ctx, end)
}
