package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestQuartiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sample []int
		want   quartiles[int]
	}{
		"one":                    {[]int{7}, quartiles[int]{7, 7, 7}},
		"two":                    {[]int{9, 1}, quartiles[int]{1, 1, 9}},
		"five, in no order":      {[]int{30, 10, 50, 20, 40}, quartiles[int]{20, 30, 40}},
		"an outlier moves none":  {[]int{1, 2, 3, 4, 1000}, quartiles[int]{2, 3, 4}},
		"even":                   {[]int{1, 2, 3, 4}, quartiles[int]{1, 2, 4}},
		"the sample keeps order": {[]int{3, 3, 3, 1, 1}, quartiles[int]{1, 3, 3}},
	} {
		before := append([]int(nil), tt.sample...)
		assert.Equal(t, tt.want, quartilesOf(tt.sample), name)
		assert.Equal(t, before, tt.sample, name)
	}
}
