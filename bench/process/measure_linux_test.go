package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// builtLauncher builds the launcher.
func builtLauncher(t *testing.T) string {
	t.Helper()
	return built(t, "../launch")
}

func built(t *testing.T, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(pkg))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, pkg)
	build.Env = append(build.Environ(), "CGO_ENABLED=0") // as what is measured
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// shell is a program that runs a script with the pointer's path as $1.
func shell(script string) program {
	return program{name: "shell", file: "/bin/sh", args: func(n node, _ surroundings) []string {
		return []string{"-c", script, "sh", n.pointer()}
	}}
}

func newBench(t *testing.T, p program) bench {
	t.Helper()
	return bench{launcher: builtLauncher(t), programs: []program{p}, memory: t.TempDir(), warmUp: 1, rounds: 2}
}

func TestMeasureCountsRounds(t *testing.T) {
	t.Parallel()
	b := newBench(t, shell(`test ! -e "$1" && printf '%s\n' '`+served+`' >"$1"`))

	all, err := b.measure(t.Context(), []scenario{{name: "a"}, {name: "b", rounds: 1}}, io.Discard)

	require.NoError(t, err)
	assert.Len(t, all[0].samples["shell"], 2)
	assert.Len(t, all[1].samples["shell"], 1)
	for _, u := range all[0].samples["shell"] {
		assert.Positive(t, u.wall)
		assert.Positive(t, u.peak)
	}
	left, err := os.ReadDir(b.memory)
	require.NoError(t, err)
	assert.Empty(t, left, "the nodes are gone")
}

// A run that did not do its work is no measurement.
func TestMeasureRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ script, message string }{
		"nothing staged":  {`exit 0`, "no such file"},
		"another pointer": {`printf '{"hotfixes":{"202604.01":"202604.01.9"}}' >"$1"`, "and should have"},
		"no JSON":         {`printf '{' >"$1"`, "unexpected end of JSON"},
		"the wrong one":   {`printf '{"hotfixes":` + embedded + `}' >"$1"`, "and should have"},
		"exit status":     {`printf '%s' '` + served + `' >"$1"; echo why >&2; exit 3`, "exit status 3\nwhy"},
		"killed":          {`kill -9 $$`, "exit status 137"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, shell(tt.script))

			_, err := b.measure(t.Context(), []scenario{{name: "a"}}, io.Discard)

			require.ErrorContains(t, err, "a: shell: ")
			assert.ErrorContains(t, err, tt.message)
			left, err := os.ReadDir(b.memory)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// The launcher is there because of this: started by a process with much memory, a program seems to need as much.
func TestPeakMemoryIsTheProgramsOwn(t *testing.T) {
	t.Parallel()
	launcher, empty := builtLauncher(t), built(t, "../empty")
	const large = 64 << 20
	ballast := make([]byte, large)
	for i := 0; i < large; i += os.Getpagesize() {
		ballast[i] = 1
	}

	u, err := launch(t.Context(), launcher, empty)

	require.NoError(t, err)
	direct := exec.CommandContext(t.Context(), empty)
	require.NoError(t, direct.Run())
	assert.GreaterOrEqual(t, direct.ProcessState.SysUsage().(*syscall.Rusage).Maxrss, int64(large>>10))
	assert.Less(t, u.peak, large>>10/4)
	t.Logf("empty program: %d KiB by the launcher, %d directly", u.peak, direct.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	assert.EqualValues(t, 1, ballast[0])
}

func TestServeFakesEndsWithItsInput(t *testing.T) {
	t.Parallel()
	in, hold := io.Pipe()
	out, told := io.Pipe()
	ended := make(chan error)
	go func() { ended <- serveFakes(in, told) }()

	var f fakes
	require.NoError(t, json.NewDecoder(out).Decode(&f))
	assert.Len(t, f.Peers, len(scenarios()))
	trip, err := roundTrip(f.Peers["near"].Echo)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, trip, 10*ms)

	require.NoError(t, hold.Close())
	require.NoError(t, <-ended)
}
