package clocktest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// The clock is what the tests that use it need: the wall jumps, the difference of two readings does not.
func TestJumping(t *testing.T) {
	t.Parallel()
	now := Jumping(3 * time.Hour)

	before := time.Now()
	first, second := now(), now()
	took := time.Since(before)

	assert.Equal(t, before.Unix()/60, first.Add(-took).Unix()/60, "the first reading is right to the minute")
	assert.InDelta(t, 3*time.Hour, second.Round(0).Sub(first.Round(0)), float64(took), "by the wall")
	assert.Less(t, second.Sub(first), time.Hour, "by the monotonic clock")
	assert.GreaterOrEqual(t, second.Sub(first), time.Duration(0))
}
