package main

import (
	"math/rand/v2"
	"slices"
	"time"
)

// workload is how many nodes boot, and within which time. With no time at all they boot in the same instant: a herd.
type workload struct {
	nodes  int
	window time.Duration
}

func (w workload) isHerd() bool { return w.window == 0 }

// arrivals returns when each node boots, in order. Independent and uniform over the window, they are a Poisson process
// of which the number is known.
func (w workload) arrivals(seed uint64) []time.Duration {
	times := make([]time.Duration, w.nodes)
	if w.isHerd() {
		return times
	}
	random := rand.New(rand.NewPCG(seed, uint64(w.nodes)))
	for i := range times {
		times[i] = time.Duration(random.Int64N(int64(w.window)))
	}
	slices.Sort(times)
	return times
}

// admitted is what the rate limit lets through in each bucket: half of the mean arrivals, as if a herd came in a second.
func (w workload) admitted() int {
	window := w.window
	if w.isHerd() {
		window = time.Second
	}
	return max(1, int(float64(w.nodes)*bucket.Seconds()/window.Seconds()/2))
}

func (w workload) name() string {
	if w.isHerd() {
		return "herd"
	}
	return "window"
}
