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

func sinceBegan(ctx context.Context, began time.Time) time.Duration {
	deadline, _ := ctx.Deadline()
	return deadline.Sub(began)
}
