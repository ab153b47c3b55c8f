package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
)

// good is a node that was answered by a healthy service, which the machine left in peace.
func good(t *testing.T) trial {
	t.Helper()
	m, ok := modeNamed("healthy")
	require.True(t, ok)
	call := []time.Duration{20 * millisecond}
	return trial{mode: m, workload: workload{nodes: 1, window: time.Second}, metadataRequests: 1,
		calls: [][]time.Duration{call}, handshakes: [][]time.Duration{call},
		nodes: []nodeResult{{done: 30 * millisecond, outcome: bootpointer.OutcomeLPSRead, staged: true, dials: call}}}
}

func TestViolations(t *testing.T) {
	t.Parallel()
	assert.Empty(t, good(t).violations())
	three := make([]time.Duration, 3)
	for want, change := range map[string]func(*trial){
		"healthy: node 0 made 3 calls, at most 1 are right":  func(s *trial) { s.calls[0] = three },
		"healthy: node 0 made 0 calls, at least 1 are right": func(s *trial) { s.calls[0] = nil },
		"healthy: node 0 dialled 3 times":                    func(s *trial) { s.nodes[0].dials = three },
		"healthy: node 0 shook hands 3 times":                func(s *trial) { s.handshakes[0] = three },
		"healthy: node 0 came to lpsRead, staged: false":     func(s *trial) { s.nodes[0].staged = false },
		"healthy: node 0 came to customDataFallback ()":      func(s *trial) { s.nodes[0].outcome = bootpointer.OutcomeCustomDataFallback },
		"healthy: 3 metadata requests of 1 nodes":            func(s *trial) { s.metadataRequests = 3 },
		"healthy: node 0 came to failed, staged: true": func(s *trial) {
			s.nodes[0].outcome = bootpointer.OutcomeFailed
			s.mode.outcomes = append(s.mode.outcomes, "failed")
		},
	} {
		s := good(t)
		change(&s)
		assert.Equal(t, []string{want}, s.violations())
	}
}

// On a machine that is too slow a node may do less than it should, and never more.
func TestViolationsWhenDisturbed(t *testing.T) {
	t.Parallel()
	s := good(t)
	s.lags = []time.Duration{time.Second}
	s.calls[0] = nil
	s.nodes[0].outcome = bootpointer.OutcomeCustomDataFallback
	assert.Empty(t, s.violations())
	s.calls[0] = make([]time.Duration, 2)
	assert.Len(t, s.violations(), 1)
}

func TestEveryViolationIsListed(t *testing.T) {
	t.Parallel()
	s := good(t)
	s.calls[0] = make([]time.Duration, 3)
	err := (&results{windows: []trial{good(t)}, herds: []trial{s}}).check()
	assert.EqualError(t, err, "1 invariants violated:\nhealthy: node 0 made 3 calls, at most 1 are right")
	assert.NoError(t, (&results{windows: []trial{good(t)}}).check())
}

func TestBottleneck(t *testing.T) {
	t.Parallel()
	assert.Empty(t, good(t).bottleneck())
	for want, change := range map[string]func(*trial){
		"this process ran 51ms late":      func(s *trial) { s.lags = []time.Duration{51 * millisecond} },
		"nodes took 101ms to the service": func(s *trial) { s.calls[0][0] = 101 * millisecond },
		"nodes took 3s to the service":    func(s *trial) { s.calls[0], s.nodes[0].done = nil, 3*time.Second },
		"a node took 1.001s to the service": func(s *trial) {
			s.workload.window, s.calls[0][0] = 0, 1001*millisecond
		},
		"this process ran 1.1s late": func(s *trial) { s.workload.window, s.lags = 0, []time.Duration{0, 1100 * millisecond} },
	} {
		s := good(t)
		change(&s)
		assert.Equal(t, want, s.bottleneck())
	}
	busy := good(t)
	busy.nodesCPU = time.Hour
	assert.Contains(t, busy.bottleneck(), "of the machine used")
	herd := good(t)
	herd.workload.window, herd.nodesCPU, herd.calls[0][0] = 0, time.Hour, 900*millisecond
	assert.Empty(t, herd.bottleneck(), "a herd keeps any machine busy")
}
