package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
)

// Each mode, played small: the promises hold however busy the machine is.
func TestEveryMode(t *testing.T) {
	t.Parallel()
	for _, m := range modes() {
		for _, c := range []workload{{nodes: 6, window: 200 * millisecond}, {nodes: 6}} {
			t.Run(c.name()+" "+m.name, func(t *testing.T) {
				t.Parallel()
				s, err := runTrial(t.Context(), m, c, 1)

				require.NoError(t, err)
				assert.Empty(t, s.violations())
				f := s.figures()
				assert.InDelta(t, 1, f.fromService+f.fromFallback+f.without, 1e-9)
				assert.Len(t, f.took, 6)
				assert.Positive(t, percentile(f.took, 0))
				assert.NotEmpty(t, s.lags)
				assert.Positive(t, s.nodesCPU)
				assert.GreaterOrEqual(t, f.dials, 1.0)
				assert.Equal(t, m.refuses, f.sent == 0)
			})
		}
	}
}

// What the report reads off a trial, for one in which all is known.
func TestFigures(t *testing.T) {
	t.Parallel()
	s := known()

	f := s.figures()

	assert.InDelta(t, 0.5, f.fromService, 1e-9)
	assert.InDelta(t, 0.25, f.fromFallback, 1e-9)
	assert.InDelta(t, 0.25, f.without, 1e-9)
	assert.InDelta(t, 1.5, f.calls, 1e-9)
	assert.Equal(t, 2, f.mostCalls)
	assert.InDelta(t, 1.25, f.dials, 1e-9)
	assert.Equal(t, 2, f.mostDials)
	assert.InDelta(t, 1.25, f.handshakes, 1e-9)
	assert.InDelta(t, 1.25, f.metadata, 1e-9)
	assert.Equal(t, 4, f.peakArrivals)
	assert.Equal(t, 4, f.peakContacts)
	assert.Equal(t, 4, f.peakOpen)
	assert.Equal(t, []time.Duration{100 * millisecond, 500 * millisecond, 400 * millisecond, 50 * millisecond}, f.took)
	assert.Equal(t, []time.Duration{300 * millisecond, 200 * millisecond}, f.pauses, "since the first call, since the loss")
	assert.Equal(t, 2, f.peakRepeats)
	assert.Equal(t, (90+490+150+40+30)*millisecond/4, f.open)
	assert.InDelta(t, 25, f.sent, 1e-9)
	assert.Equal(t, 5*millisecond, f.nodeCPU)
	assert.Equal(t, 2*millisecond, f.serviceCPU)
	assert.Equal(t, []time.Duration{20 * millisecond, 30 * millisecond, 20 * millisecond, 40 * millisecond}, s.reached())
}

// known is a herd of four: one was answered, one called again on its connection, one lost its connection, one was refused.
func known() trial {
	at := func(ms ...time.Duration) []time.Duration {
		var times []time.Duration
		for _, m := range ms {
			times = append(times, m*millisecond)
		}
		return times
	}
	between := func(from, to time.Duration) span { return span{from * millisecond, to * millisecond} }
	m, _ := modeNamed("recovering")
	return trial{
		mode: m, workload: workload{nodes: 4}, metadataRequests: 5, nodesCPU: 20 * millisecond, serviceCPU: 8 * millisecond, elapsed: time.Second,
		calls:      [][]time.Duration{at(20), at(30, 330), at(20, 380), at(40)},
		handshakes: [][]time.Duration{at(10), at(10), at(10, 360), at(10)},
		nodes: []nodeResult{
			{done: 100 * millisecond, outcome: bootpointer.OutcomeLPSRead, staged: true, dials: at(5), conns: []span{between(5, 95)}, sent: 100},
			{done: 500 * millisecond, outcome: bootpointer.OutcomeCustomDataFallback, staged: true, dials: at(5), conns: []span{between(5, 495)}},
			{done: 400 * millisecond, outcome: bootpointer.OutcomeLPSRead, staged: true, dials: at(5, 355), conns: []span{between(5, 155), between(355, 395)}},
			{done: 50 * millisecond, outcome: bootpointer.OutcomeFailed, dials: at(5), conns: []span{between(5, 35)}},
		},
	}
}
