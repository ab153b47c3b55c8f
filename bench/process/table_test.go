package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// measured returns the measurement of check-hotfix and floor that took this long.
func measured(s scenario, product, floor usage) *measurement {
	return &measurement{
		scenario: s,
		samples:  map[string]sample{productName: {product}, floorName: {floor}},
		trips:    []time.Duration{11 * ms},
	}
}

// lines writes with report and returns the lines that begin with a name of a program or of a target.
func lines(t *testing.T, write func(report)) []string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "check-hotfix")
	require.NoError(t, os.WriteFile(binary, make([]byte, 10_600_000), 0o600))
	var out bytes.Buffer
	write(report{&out, []program{
		{name: productName, binary: binary, trips: 3}, {name: floorName, trips: 2},
	}, 1})
	var rows []string
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| program") && !strings.Contains(line, "at most") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	return rows
}

func TestTable(t *testing.T) {
	t.Parallel()
	m := measured(scenario{}, usage{wall: 30 * ms, cpu: 26 * ms, peak: 11 << 10}, usage{wall: 24 * ms, cpu: 20 * ms, peak: 6 << 10})

	rows := lines(t, func(r report) { r.table(m) })

	assert.Equal(t, []string{
		"| check-hotfix | 30.0 (30.0–30.0) | 1.25 | 26.0 (26.0–26.0) | 1.30 | 11.0 |",
		"| floor | 24.0 (24.0–24.0) | 1.00 | 20.0 (20.0–20.0) | 1.00 | 6.0 |",
	}, rows)
}

func TestBounds(t *testing.T) {
	t.Parallel()
	own := measured(scenario{}, usage{wall: 30 * ms}, usage{wall: 20 * ms})
	near := scenario{rtt: 10 * ms, metadata: 20 * ms}
	m := measured(near, usage{wall: 80 * ms}, usage{wall: 53 * ms})

	rows := lines(t, func(r report) { r.bounds(m, own) })

	assert.Equal(t, []string{
		"| check-hotfix | 3 + 1 | 80.0 | 74.0 | 1.08 | **no** | 70.0 | 1.14 |",
		"| floor | 2 + 1 | 53.0 | 53.0 | 1.00 | yes | 50.0 | 1.06 |",
	}, rows)
}

func TestTargets(t *testing.T) {
	t.Parallel()
	m := measured(scenario{}, usage{wall: 25 * ms, cpu: 27 * ms, peak: 13 << 10}, usage{wall: 20 * ms, cpu: 20 * ms, peak: 1})

	rows := lines(t, func(r report) { require.NoError(t, r.targets(m)) })

	assert.Equal(t, []string{
		"| wall time | 1.25 × floor | 1.25 × floor | yes |",
		"| CPU time | 1.30 × floor | 1.35 × floor | **no** |",
		"| peak memory | 13.0 MiB | 13.0 MiB | yes |",
		"| binary | 10.50 MB | 10.60 MB | **no** |",
	}, rows)
}
