package lpstest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
)

// recorder is the least that a Start function takes.
type recorder struct {
	fatal    string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.fatal = fmt.Sprintf(format, args...)
	panic(r) // as testing.T, it does not return
}

func TestStartNeedsNoTestingT(t *testing.T) {
	t.Parallel()
	var tb recorder
	s := lpstest.Start(&tb)
	require.Len(t, tb.cleanups, 1)
	tb.cleanups[0]()
	assert.ErrorContains(t, s.Restart(), "Close", "the cleanup closes")
}

func TestStartEndsTheTestOnAnError(t *testing.T) {
	t.Parallel()
	var tb recorder
	assert.Panics(t, func() { lpstest.Start(&tb, lpstest.WithoutSettings()) })
	assert.Contains(t, tb.fatal, "WithoutSettings")
	assert.Empty(t, tb.cleanups)
}
