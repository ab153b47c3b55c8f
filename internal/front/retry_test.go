package front

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJitterIsSpreadOut(t *testing.T) {
	t.Parallel()
	lowest, highest := MaxPause, MinPause
	for range 1000 {
		d := Jitter()
		lowest, highest = min(lowest, d), max(highest, d)
		require.True(t, d >= MinPause && d < MaxPause, "%s", d)
	}
	assert.Greater(t, highest-lowest, (MaxPause-MinPause)*9/10)
}

func TestRetryPausesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := new(Retry)
		assert.False(t, r.Pause(ctx, Never))
		assert.False(t, r.Pause(ctx, time.Second), "it would begin when the time is over")
		assert.True(t, r.Pause(ctx, 300*time.Millisecond))
		assert.Equal(t, 300*time.Millisecond, time.Since(began))
		assert.False(t, r.Pause(ctx, 0), "there is one")
	})
}

func TestRetryPauseEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		assert.False(t, new(Retry).Pause(ctx, time.Hour))
	})
}
