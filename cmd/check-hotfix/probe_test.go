//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/probe"
	"github.com/bootpointer/bootpointer/lpstest"
)

// probe is the probe on a machine, not started.
func (m *machine) probe(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, append([]string{"probe"}, args...)...)
	cmd.Env, cmd.Dir = m.env, m.dir
	return cmd
}

// A signal ends the probe at once, with what it has found.
func TestProbeIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.lps.Respond(lpstest.Reply{Hang: true})
			var stdout bytes.Buffer
			cmd := m.probe("--timeout", "60s", "--output", "json", "--report", m.path("report.html"))
			cmd.Stdout = &stdout
			require.NoError(t, cmd.Start())
			require.Eventually(t, func() bool { return len(m.lps.Calls()) == 1 }, 30*time.Second, 5*time.Millisecond)
			began := time.Now()

			require.NoError(t, cmd.Process.Signal(sig))

			require.Error(t, cmd.Wait())
			assert.Equal(t, 1, cmd.ProcessState.ExitCode())
			assert.Less(t, time.Since(began), 20*time.Second, "not after the time-out")
			require.NoError(t, validate(stdout.String()))
			assert.Contains(t, stdout.String(), `"sentence":"The probe was interrupted`)
			assert.Contains(t, stdout.String(), `{"name":"tls","transport":"grpc","status":"ok"`)
			assert.FileExists(t, m.path("report.html"))
			assert.NoFileExists(t, m.path("pointer.json"))
		})
	}
}

// A pipe in the place of a file, held open by somebody who is silent.
func TestProbeAndFIFOs(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][2]string{
		"node.json":    {"config", "Reading the node config hangs."},
		"pointer.json": {"file", "is no regular file"},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			os.Remove(m.path(file))
			require.NoError(t, syscall.Mkfifo(m.path(file), 0o600))
			f, err := os.OpenFile(m.path(file), os.O_RDWR, 0)
			require.NoError(t, err)
			defer f.Close()

			out, err := m.probe("--output", "json").Output()

			require.Error(t, err)
			var report struct{ Diagnosis probe.Diagnosis }
			require.NoError(t, json.Unmarshal(out, &report))
			assert.Equal(t, want[0], report.Diagnosis.Layer)
			assert.Contains(t, report.Diagnosis.Sentence, want[1])
		})
	}
}

// Nobody reads what the probe prints: the watchdog ends it, with status 1.
func TestProbeEndsInTime(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	fill(t, w)
	cmd := m.probe("--timeout", "2s")
	cmd.Stdout, cmd.Stderr = w, w
	began := time.Now()

	err = cmd.Run()

	require.NoError(t, w.Close())
	require.Error(t, err)
	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	assert.Less(t, time.Since(began), probe.Limit(2*time.Second, 1)+reportTime+watchdogMargin+10*time.Second, "the margin is for busy machines")
}

// The probe's page is written whole, readable by all, over an old one too.
func TestProbeReport(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	page := m.path("report.html")
	for range 2 {
		require.NoError(t, m.probe("--report", page).Run())
		info, err := os.Stat(page)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o644), info.Mode())
		left, err := filepath.Glob(m.path(".report*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(b, []byte("<!DOCTYPE html>")))
	assert.NotContains(t, string(b), m.imds.Signature()[:40])
}

// A file that an ordinary user could not give to the group it has is not staged, and the probe says so.
func TestProbeOfAForeignGroup(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	m := newMachine(t)
	const nobody = 65534
	require.NoError(t, os.WriteFile(m.path("pointer.json"), []byte("{}"), 0o644))
	require.NoError(t, os.Chown(m.path("pointer.json"), nobody, 0))
	for _, dir := range []string{m.dir, filepath.Dir(m.dir), filepath.Dir(binary)} {
		require.NoError(t, os.Chmod(dir, 0o777))
	}
	require.NoError(t, os.Chmod(m.path("node.json"), 0o644))
	cmd := m.probe("--output", "json")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}

	out, err := cmd.Output()

	require.Error(t, err)
	var report struct{ Diagnosis probe.Diagnosis }
	require.NoError(t, json.Unmarshal(out, &report))
	assert.Equal(t, "owner", report.Diagnosis.Reason, report.Diagnosis.Sentence)
	check := m.command()
	check.SysProcAttr = cmd.SysProcAttr
	out, err = check.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "operation not permitted")
}

// The bound that the help names is what the settings come to.
func TestProbeSaysItsBound(t *testing.T) {
	t.Parallel()
	limit := probe.Limit(defaultTimeout, 1)
	assert.LessOrEqual(t, limit, 26*time.Second)
	assert.Greater(t, limit, 25*time.Second)
	assert.Contains(t, probeCommand().description, "at most 26 s")
}
