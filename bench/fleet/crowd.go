package main

import (
	"math/rand/v2"
	"slices"
	"time"
)

// crowd is how many nodes boot, and within which time. With no time at all they boot in the same instant: a herd.
type crowd struct {
	nodes  int
	window time.Duration
}

func (c crowd) isHerd() bool { return c.window == 0 }

// arrivals returns when each node boots, in order. Independent and uniform over the window, they are a Poisson process
// of which the number is known.
func (c crowd) arrivals(seed uint64) []time.Duration {
	times := make([]time.Duration, c.nodes)
	if c.isHerd() {
		return times
	}
	random := rand.New(rand.NewPCG(seed, uint64(c.nodes)))
	for i := range times {
		times[i] = time.Duration(random.Int64N(int64(c.window)))
	}
	slices.Sort(times)
	return times
}

// admitted is what the rate limit lets through in each bucket: half of the mean arrivals, as if a herd came in a second.
func (c crowd) admitted() int {
	window := c.window
	if c.isHerd() {
		window = time.Second
	}
	return max(1, int(float64(c.nodes)*bucket.Seconds()/window.Seconds()/2))
}

func (c crowd) name() string {
	if c.isHerd() {
		return "herd"
	}
	return "window"
}
