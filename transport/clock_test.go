package transport

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/clocktest"
)

// failing fails at once.
type failing struct{}

func (failing) Fetch(context.Context, Request) (Document, error) {
	return Document{}, &Error{Class: FallbackEligible, Reason: ReasonStatus, Err: errors.New("no")}
}

// The wall clock is set three hours ahead between any two readings: an attempt takes what it took, and no step loses
// or gains time.
func TestT10ClockJumps(t *testing.T) {
	t.Parallel()
	var deadline time.Time
	var left time.Duration
	last := fetchFunc(func(ctx context.Context, req Request) (Document, error) {
		deadline, _ = ctx.Deadline()
		left = time.Until(deadline)
		return failing{}.Fetch(ctx, req)
	})
	r, err := NewResolver(Step{Name: "first", Transport: failing{}}, Step{Name: "last", Transport: last, Timeout: time.Minute})
	require.NoError(t, err)
	r.now = clocktest.Jumping(3 * time.Hour)

	res, err := r.Resolve(t.Context(), Request{Component: "aksNodeController"})

	require.ErrorContains(t, err, "no")
	require.Len(t, res.Attempts, 2)
	for _, a := range res.Attempts {
		assert.Equal(t, ReasonStatus, a.Reason)
		assert.Less(t, a.Duration.Abs(), time.Hour)
	}
	assert.Less(t, left, time.Hour)
	assert.Positive(t, left)
	assert.True(t, deadline != deadline.Round(0), "the deadline has a monotonic reading")
}

type fetchFunc func(context.Context, Request) (Document, error)

func (f fetchFunc) Fetch(ctx context.Context, req Request) (Document, error) { return f(ctx, req) }
