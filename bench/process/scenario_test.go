package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBound(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		metadata, rtt time.Duration
		trips         int
		want          time.Duration
	}{
		"the line takes longer":         {20 * ms, 10 * ms, 3, 30*ms + 10*ms + 28*ms},
		"a trip less":                   {20 * ms, 10 * ms, 2, 20*ms + 10*ms + 28*ms},
		"the metadata takes longer":     {300 * ms, 50 * ms, 3, 300*ms + 50*ms + 28*ms},
		"and then a trip makes no odds": {300 * ms, 50 * ms, 2, 300*ms + 50*ms + 28*ms},
		"no distance":                   {0, 0, 3, 28 * ms},
	} {
		assert.Equal(t, tt.want, bound(tt.metadata, tt.rtt, tt.trips, 28*ms), name)
	}
}

func TestWants(t *testing.T) {
	t.Parallel()
	always, twice := scenario{}, scenario{rounds: 2}
	for round, want := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
		assert.Equal(t, want, twice.wants(round), round)
		assert.True(t, always.wants(round), round)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all, err := choose("")
	require.NoError(t, err)
	assert.Equal(t, scenarios(), all)

	some, err := choose("far,loopback")
	require.NoError(t, err)
	assert.Equal(t, []scenario{all[4], all[0]}, some)

	_, err = choose("loopback,")
	assert.ErrorContains(t, err, `no scenario ""`)
}
