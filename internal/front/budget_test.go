package front

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		time, ready, setUp, end time.Duration // ready is when token and connection were there, end when the call has to end
	}{
		"early":              {4 * time.Second, 500 * time.Millisecond, 3 * time.Second, 3 * time.Second},
		"I2 token at 2.5 s":  {4 * time.Second, 2500 * time.Millisecond, 3 * time.Second, 3500 * time.Millisecond},
		"token at the last":  {4 * time.Second, 3 * time.Second, 3 * time.Second, 4 * time.Second},
		"never past the end": {4 * time.Second, 3500 * time.Millisecond, 3 * time.Second, 4 * time.Second},
		"half a second":      {400 * time.Millisecond, 0, 300 * time.Millisecond, 300 * time.Millisecond},
		"a minute":           {time.Minute, 0, 59 * time.Second, 59 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), tc.time)
				defer cancel()
				b, ctx, cancelBudget := NewBudget(ctx)
				defer cancelBudget()

				setUp, cancelSetUp := b.ForSetUp(ctx)
				defer cancelSetUp()
				time.Sleep(tc.ready)
				call, cancelCall := b.ForCall(ctx)
				defer cancelCall()

				assert.Equal(t, tc.setUp, sinceBegan(setUp, began))
				assert.Equal(t, tc.end, sinceBegan(call, began))
			})
		})
	}
}

func TestBudgetWithoutDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, ctx, cancel := NewBudget(t.Context())
		defer cancel()
		assert.Equal(t, 4*time.Second, sinceBegan(ctx, began))
	})
}

// No part of the budget depends on the wall clock. A synctest bubble would have no monotonic readings.
func TestT10BudgetIsMonotonic(t *testing.T) {
	t.Parallel()
	bounded, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, parent := range map[string]context.Context{"deadline": bounded, "no deadline": t.Context()} {
		b, ctx, cancel := NewBudget(parent)
		defer cancel()
		setUp, cancelSetUp := b.ForSetUp(ctx)
		defer cancelSetUp()
		early, cancelEarly := b.ForCall(ctx)
		defer cancelEarly()
		b.setUp = time.Now()
		late, cancelLate := b.ForCall(ctx)
		defer cancelLate()
		b.hard = b.setUp.Add(b.reserve / 2)
		last, cancelLast := b.ForCall(ctx)
		defer cancelLast()
		for part, ctx := range map[string]context.Context{"whole": ctx, "set-up": setUp, "early call": early, "late call": late, "last call": last} {
			deadline, _ := ctx.Deadline()
			assert.True(t, deadline != deadline.Round(0), "%s, %s: no monotonic reading", name, part)
		}
		assert.True(t, b.hard != b.hard.Round(0))
	}
}

func sinceBegan(ctx context.Context, began time.Time) time.Duration {
	deadline, _ := ctx.Deadline()
	return deadline.Sub(began)
}
