package main

import (
	"cmp"
	"slices"
)

// quartiles are the median of a sample and the quarters of it around that.
type quartiles[T cmp.Ordered] struct{ lower, median, upper T }

// quartilesOf returns those of a sample that is not empty. Each is a value of the sample: nothing is interpolated, and of
// two in the middle the lower one counts.
func quartilesOf[T cmp.Ordered](sample []T) quartiles[T] {
	s := slices.Sorted(slices.Values(sample))
	last := len(s) - 1
	return quartiles[T]{lower: s[last/4], median: s[last/2], upper: s[last-last/4]}
}
