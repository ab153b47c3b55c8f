package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain makes the test binary the service where a trial starts it as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serviceCommand {
		if err := runService(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s, err := parseSettings(nil)
	require.NoError(t, err)
	assert.Equal(t, settings{nodes: 1500, herd: 150, window: 12 * time.Second, seed: 1, limit: 4 * time.Minute}, s)
	for _, args := range []string{"-nodes 0", "-nodes 10001", "-herd -1", "-herd 2001", "-window 99ms", "-window 61s", "-limit 0s", "-together -docs x", "more"} {
		_, err := parseSettings(strings.Fields(args))
		assert.Error(t, err, args)
	}
}

// A smoke run has all tables, every mode in them, and writes nothing.
func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer

	require.NoError(t, run(t.Context(), strings.Fields("-together -nodes 4 -window 100ms -herd 3"), nil, &out))

	for _, m := range modes() {
		assert.Contains(t, out.String(), "window, "+m.name+": 4 nodes")
		assert.Contains(t, out.String(), "| "+m.name+" | "+m.about+" |")
		assert.Contains(t, out.String(), "herd, "+m.name+": 3 nodes")
	}
	assert.Equal(t, 6, strings.Count(out.String(), "|---|\n"), "tables")
	assert.Contains(t, out.String(), "`fleet -nodes 4 -window 100ms -herd 3 -seed 1` on ")
}

// The time limit ends a run, its nodes and its service.
func TestRunEndsInTime(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), strings.Fields("-nodes 2 -window 1m -limit 1s"), nil, new(bytes.Buffer))
	assert.Error(t, err)
}
