package grpc

import (
	"context"
	"time"
)

// maxReserve is the most that is kept back for a call whose token or connection came late.
const maxReserve = time.Second

// budget divides the time of one fetch: setting up ends at setUp, everything ends at hard.
type budget struct {
	setUp, hard time.Time
	reserve     time.Duration
}

// newBudget divides the time ctx has. The ctx it returns ends at the hard limit.
func newBudget(ctx context.Context) (budget, context.Context, context.CancelFunc) {
	now := time.Now()
	hard, ok := ctx.Deadline()
	if !ok {
		hard = now.Add(defaultBudget)
	}
	reserve := min(maxReserve, hard.Sub(now)/4)
	ctx, cancel := context.WithDeadline(ctx, hard)
	return budget{setUp: hard.Add(-reserve), hard: hard, reserve: reserve}, ctx, cancel
}

// forSetUp bounds the preparation of a call.
func (b budget) forSetUp(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, b.setUp)
}

// forCall bounds a call that begins now.
func (b budget) forCall(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(b.reserve)
	if end.Before(b.setUp) {
		end = b.setUp
	}
	if end.After(b.hard) {
		end = b.hard
	}
	return context.WithDeadline(ctx, end)
}
