package main

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// bucket is the width in which events are counted.
const bucket = 100 * time.Millisecond

// percentile returns the smallest of values that p percent of them do not exceed (nearest rank), and 0 if there is none.
func percentile(values []time.Duration, p float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// perBucket counts times by bucket, from 0 up to the last one. A time before 0 counts in the first bucket: the clocks of two
// processes are read one after the other.
func perBucket(times []time.Duration) []int {
	var counts []int
	for _, t := range times {
		i := int(max(t, 0) / bucket)
		for len(counts) <= i {
			counts = append(counts, 0)
		}
		counts[i]++
	}
	return counts
}

// peak returns the most of times that lie within any one bucket's width, wherever it begins, so that it does not depend on
// where buckets happen to.
func peak(times []time.Duration) int {
	sorted := slices.Sorted(slices.Values(times))
	highest, first := 0, 0
	for i, t := range sorted {
		for t-sorted[first] >= bucket {
			first++
		}
		highest = max(highest, i-first+1)
	}
	return highest
}

// mostOpen returns how many of spans there were at once at most.
func mostOpen(spans []span) int {
	type edge struct {
		at     time.Duration
		change int
	}
	var edges []edge
	for _, s := range spans {
		edges = append(edges, edge{s.from, 1}, edge{s.to, -1})
	}
	// Where one ends as another begins, the end comes first.
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.change, b.change)) })
	open, highest := 0, 0
	for _, e := range edges {
		open += e.change
		highest = max(highest, open)
	}
	return highest
}

// share returns part of whole, 0 where there is no whole.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
