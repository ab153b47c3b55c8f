package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const millisecond = time.Millisecond

func TestPercentile(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := 100; i > 0; i-- {
		hundred = append(hundred, time.Duration(i))
	}
	for p, want := range map[float64]time.Duration{0: 1, 1: 1, 50: 50, 50.5: 51, 99: 99, 100: 100} {
		assert.Equal(t, want, percentile(hundred, p), "p%v", p)
	}
	assert.Equal(t, time.Duration(100), hundred[0], "the values stay as they are")
	assert.Equal(t, time.Duration(7), percentile([]time.Duration{7}, 99))
	assert.Equal(t, time.Duration(3), percentile([]time.Duration{3, 1, 2}, 67))
	assert.Zero(t, percentile(nil, 50))
}

func TestPerBucket(t *testing.T) {
	t.Parallel()
	times := []time.Duration{0, 99 * millisecond, 100 * millisecond, 350 * millisecond, -millisecond}
	assert.Equal(t, []int{3, 1, 0, 1}, perBucket(times))
	assert.Empty(t, perBucket(nil))
}

func TestPeak(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 3, peak([]time.Duration{360 * millisecond, 60 * millisecond, 110 * millisecond, 150 * millisecond}), "across buckets")
	assert.Equal(t, 1, peak([]time.Duration{0, 100 * millisecond, 200 * millisecond}), "the width's end is outside")
	assert.Equal(t, 2, peak([]time.Duration{5, 5}))
	assert.Zero(t, peak(nil))
}

func TestMostOpen(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 2, mostOpen([]span{{0, 10}, {5, 15}, {10, 20}, {30, 40}}), "one ends as another begins")
	assert.Equal(t, 3, mostOpen([]span{{0, 9}, {1, 8}, {2, 7}}))
	assert.Zero(t, mostOpen(nil))
}

func TestShare(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 0.25, share(1, 4), 1e-9)
	assert.Zero(t, share(1, 0))
}

func TestArrivals(t *testing.T) {
	t.Parallel()
	c := workload{nodes: 1000, window: 10 * time.Second}
	times := c.arrivals(1)
	assert.Len(t, times, 1000)
	assert.IsNonDecreasing(t, times)
	assert.GreaterOrEqual(t, times[0], time.Duration(0))
	assert.Less(t, times[999], 10*time.Second)
	assert.Equal(t, times, c.arrivals(1), "the seed decides")
	assert.NotEqual(t, times, c.arrivals(2))
	early := slices.IndexFunc(times, func(t time.Duration) bool { return t >= 5*time.Second })
	assert.InDelta(t, 500, early, 100, "even: half of them in half of the window, standard deviation 16")

	assert.Equal(t, []time.Duration{0, 0, 0}, workload{nodes: 3}.arrivals(1))
}

func TestAdmitted(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 10, workload{nodes: 2000, window: 10 * time.Second}.admitted())
	assert.Equal(t, 10, workload{nodes: 200}.admitted())
	assert.Equal(t, 1, workload{nodes: 1, window: time.Second}.admitted(), "never none")
}
