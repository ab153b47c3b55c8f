package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	f := figures{calls: 2, dials: 1, handshakes: 1, serviceCPU: 3 * millisecond, open: 250 * millisecond, sent: 9000, received: 2000}

	l := f.at(1000)

	assert.InDelta(t, 2000, l.calls, 1e-6)
	assert.InDelta(t, 1000, l.dials, 1e-6)
	assert.InDelta(t, 1000, l.handshakes, 1e-6)
	assert.InDelta(t, 3, l.cores, 1e-6)
	assert.InDelta(t, 250, l.open, 1e-6)
	assert.InDelta(t, 9e6, l.in, 1e-3)
	assert.InDelta(t, 2e6, l.out, 1e-3)
}

func TestPaperRate(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 1666.67, paperRate(), 0.01)
}

func TestJitter(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 250*millisecond, ours().mean())
	assert.InDelta(t, 1.0/3, ours().perBucket(), 1e-9)
	none := jitter{100 * millisecond, 100 * millisecond}
	assert.InDelta(t, 1, none.perBucket(), 1e-9)
	assert.InDelta(t, 1, jitter{0, 50 * millisecond}.perBucket(), 1e-9)
	// 3000 lost connections come back within 0.3 s, beside 1000 nodes per second.
	assert.InDelta(t, 11_000, ours().comeback(1000, 3000), 1e-6)
	assert.InDelta(t, 31_000, none.comeback(1000, 3000), 1e-6)
}
