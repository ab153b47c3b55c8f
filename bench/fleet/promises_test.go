package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
)

// good is a node that was answered by a healthy service, which the machine left in peace.
func good(t *testing.T) scene {
	t.Helper()
	m, ok := modeNamed("healthy")
	require.True(t, ok)
	call := []time.Duration{20 * millisecond}
	return scene{mode: m, crowd: crowd{nodes: 1, window: time.Second}, metadataRequests: 1,
		calls: [][]time.Duration{call}, handshakes: [][]time.Duration{call},
		lives: []life{{done: 30 * millisecond, outcome: bootpointer.OutcomeLPSRead, staged: true, dials: call}}}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	assert.Empty(t, good(t).broken())
	three := make([]time.Duration, 3)
	for want, change := range map[string]func(*scene){
		"healthy: node 0 made 3 calls, at most 1 are right":  func(s *scene) { s.calls[0] = three },
		"healthy: node 0 made 0 calls, at least 1 are right": func(s *scene) { s.calls[0] = nil },
		"healthy: node 0 dialled 3 times":                    func(s *scene) { s.lives[0].dials = three },
		"healthy: node 0 shook hands 3 times":                func(s *scene) { s.handshakes[0] = three },
		"healthy: node 0 came to lpsRead, staged: false":     func(s *scene) { s.lives[0].staged = false },
		"healthy: node 0 came to customDataFallback ()":      func(s *scene) { s.lives[0].outcome = bootpointer.OutcomeCustomDataFallback },
		"healthy: 3 metadata requests of 1 nodes":            func(s *scene) { s.metadataRequests = 3 },
		"healthy: node 0 came to failed, staged: true": func(s *scene) {
			s.lives[0].outcome = bootpointer.OutcomeFailed
			s.mode.outcomes = append(s.mode.outcomes, "failed")
		},
	} {
		s := good(t)
		change(&s)
		assert.Equal(t, []string{want}, s.broken())
	}
}

// On a machine that is too slow a node may do less than it should, and never more.
func TestBrokenWhenDisturbed(t *testing.T) {
	t.Parallel()
	s := good(t)
	s.lags = []time.Duration{time.Second}
	s.calls[0] = nil
	s.lives[0].outcome = bootpointer.OutcomeCustomDataFallback
	assert.Empty(t, s.broken())
	s.calls[0] = make([]time.Duration, 2)
	assert.Len(t, s.broken(), 1)
}

func TestEveryPromiseIsListed(t *testing.T) {
	t.Parallel()
	s := good(t)
	s.calls[0] = make([]time.Duration, 3)
	err := (&show{windows: []scene{good(t)}, herds: []scene{s}}).check()
	assert.EqualError(t, err, "1 promises broken:\nhealthy: node 0 made 3 calls, at most 1 are right")
	assert.NoError(t, (&show{windows: []scene{good(t)}}).check())
}

func TestBottleneck(t *testing.T) {
	t.Parallel()
	assert.Empty(t, good(t).bottleneck())
	for want, change := range map[string]func(*scene){
		"this process ran 51ms late":      func(s *scene) { s.lags = []time.Duration{51 * millisecond} },
		"nodes took 101ms to the service": func(s *scene) { s.calls[0][0] = 101 * millisecond },
		"nodes took 3s to the service":    func(s *scene) { s.calls[0], s.lives[0].done = nil, 3*time.Second },
		"a node took 1.001s to the service": func(s *scene) {
			s.crowd.window, s.calls[0][0] = 0, 1001*millisecond
		},
	} {
		s := good(t)
		change(&s)
		assert.Equal(t, want, s.bottleneck())
	}
	busy := good(t)
	busy.nodesCPU = time.Hour
	assert.Contains(t, busy.bottleneck(), "of the machine used")
	herd := good(t)
	herd.crowd.window, herd.nodesCPU, herd.calls[0][0] = 0, time.Hour, 900*millisecond
	assert.Empty(t, herd.bottleneck(), "a herd keeps any machine busy")
}
