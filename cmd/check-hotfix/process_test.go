//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

const served = `{"hotfixes":{"202604.01":"202604.01.1"}}`

// machine is a node that one process boots on, with healthy services around it.
type machine struct {
	t    *testing.T
	dir  string
	lps  *lpstest.Server
	imds *imdstest.Server
	env  []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, dir: t.TempDir(), lps: lpstest.Start(t), imds: imdstest.Start(t)}
	m.lps.Serve("aksNodeController", served)
	require.NoError(t, writeNodeConfig(m.dir, m.lps, ""))
	for name, value := range map[string]string{
		"NODE_CONFIG": m.path("node.json"), "NBC_CMD": m.path("nbc-cmd.sh"), "POINTER": m.path("pointer.json"),
		"TARGET": m.lps.Addr(), "IMDS_ENDPOINT": m.imds.URL(), "EVENTS_DIR": m.path("events"),
		"TIMEOUT": "30s", // machines that run tests are busy
	} {
		m.env = append(m.env, "CHECK_HOTFIX_"+name+"="+value)
	}
	m.env = append(m.env, "GORACE=atexit_sleep_ms=0")
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

// command is check-hotfix on this machine, not started.
func (m *machine) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, append([]string{"--output", "json"}, args...)...)
	cmd.Env, cmd.Dir = m.env, m.dir
	return cmd
}

// outcome is what a process printed.
type outcome struct {
	Outcome  string
	Staged   bool
	Attempts []struct{ Step, Class, Reason, Error string }
	Warnings []string
	Error    string
}

// run runs check-hotfix, which has to exit with status 0, and returns its result and log.
func (m *machine) run(args ...string) (outcome, string) {
	m.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := m.command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(m.t, cmd.Run(), "%s", stderr.String())
	var o outcome
	if stdout.Len() > 0 {
		require.NoError(m.t, json.Unmarshal(stdout.Bytes(), &o), "%s", stdout.String())
	}
	return o, stderr.String()
}

// requireStaged asserts that the pointer was staged whole, with nothing beside it.
func (m *machine) requireStaged() {
	m.t.Helper()
	b, err := os.ReadFile(m.path("pointer.json"))
	require.NoError(m.t, err)
	assert.JSONEq(m.t, served, string(b))
	m.requireNoLitter()
}

func (m *machine) requireNoLitter() {
	m.t.Helper()
	entries, err := os.ReadDir(m.dir)
	require.NoError(m.t, err)
	for _, e := range entries {
		assert.Contains(m.t, []string{"node.json", "nbc-cmd.sh", "pointer.json", "events"}, e.Name())
	}
}

func TestT1NoProxyWhateverTheEnvironmentSays(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	trap := lpstest.StartHangup(t)
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "GRPC_PROXY"} {
		for _, name := range []string{name, strings.ToLower(name)} {
			m.env = append(m.env, name+"=http://"+trap.Addr())
		}
	}

	https := lpstest.StartHTTPS(t, lpstest.WithCA(m.lps.CA()))
	https.Serve(served)

	for transport, target := range map[string]string{"grpc": m.lps.Addr(), "https": https.Addr()} {
		o, _ := m.run("--transport", transport, "--target", target)

		assert.Equal(t, "lpsRead", o.Outcome, transport)
		assert.Zero(t, trap.Conns(), transport)
	}
}

// C3: the system's roots are not trusted, whatever OpenSSL's variable says they are.
func TestC3SystemRootsAreNotTrusted(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	require.NoError(t, os.WriteFile(roots, m.lps.CA().PEM(), 0o600))
	m.env = append(m.env, "SSL_CERT_FILE="+roots)
	other := lpstest.Start(t)
	require.NoError(t, writeNodeConfig(m.dir, other, "")) // the config has another CA

	o, _ := m.run()

	assert.Equal(t, "failed", o.Outcome)
	assert.Equal(t, "cert-untrusted", o.Attempts[0].Reason)
	assert.Empty(t, m.lps.Calls())
}

func TestR2ReadersAreGone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	cmd := m.command()
	cmd.Stdout, cmd.Stderr = w, w

	err = cmd.Run()

	require.NoError(t, w.Close())
	require.NoError(t, err, "no death by SIGPIPE")
	m.requireStaged()
}

// Writing the result blocks for ever, and the watchdog ends the process.
func TestR2ReadersDoNotRead(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	fill(t, w)
	cmd := m.command("--timeout", "5s")
	cmd.Stdout, cmd.Stderr = w, w

	began := time.Now()
	err = cmd.Run()
	took := time.Since(began)

	require.NoError(t, w.Close())
	require.NoError(t, err)
	m.requireStaged()
	const limit = 5*time.Second + watchdogMargin
	assert.Greater(t, took, limit-time.Second, "it is the watchdog that ends the process")
	assert.Less(t, took, limit+5*time.Second, "the margin is for busy machines")
}

// fill writes to a pipe until no byte more goes in.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	require.NoError(t, w.SetWriteDeadline(time.Now().Add(200*time.Millisecond)))
	page := make([]byte, 4096)
	for size := len(page); size > 0; {
		if _, err := w.Write(page[:size]); err != nil {
			size /= 2
			require.NoError(t, w.SetWriteDeadline(time.Now().Add(20*time.Millisecond)))
		}
	}
}

func TestR2StreamsAreClosed(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	cmd := exec.Command("/bin/sh", "-c", `exec "$0" <&- >&- 2>&-`, binary)
	cmd.Env, cmd.Dir = m.env, m.dir

	require.NoError(t, cmd.Run())

	m.requireStaged()
}

func TestR3Signals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.lps.Respond(lpstest.Reply{Hang: true})
			require.NoError(t, writeNodeConfig(m.dir, m.lps, `{"202604.01":"202604.01.3"}`))
			var stdout bytes.Buffer
			cmd := m.command("--timeout", "60s")
			cmd.Stdout = &stdout
			require.NoError(t, cmd.Start())
			require.Eventually(t, func() bool { return len(m.lps.Calls()) == 1 }, 30*time.Second, 5*time.Millisecond)

			require.NoError(t, cmd.Process.Signal(sig))

			require.NoError(t, cmd.Wait(), "exit status 0")
			assert.Contains(t, stdout.String(), `"outcome":"failed"`)
			assert.Contains(t, stdout.String(), `"reason":"canceled"`)
			assert.NotContains(t, stdout.String(), `"step":"fallback"`, "a signal starts no fallback")
			assert.NoFileExists(t, m.path("pointer.json"))
			m.requireNoLitter()
		})
	}
}

func TestR3EmptyEnvironmentAndNoArguments(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	cmd := m.command("--node-config", m.path("absent"), "--nbc-cmd", m.path("absent"), "--pointer", m.path("pointer.json"),
		"--imds-endpoint", m.imds.URL(), "--events-dir", "", "--output", "text")
	cmd.Env = []string{}

	out, err := cmd.CombinedOutput()

	require.NoError(t, err)
	assert.Contains(t, string(out), "failed: no pointer was staged")
	assert.Contains(t, string(out), "no file at")
}

// A FIFO in the place of a file: nobody ever writes to it, or somebody holds it open and is silent.
func TestR3FIFOs(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"node.json", "nbc-cmd.sh", "pointer.json"} {
		for _, held := range []bool{false, true} {
			t.Run(file+map[bool]string{true: " held open"}[held], func(t *testing.T) {
				t.Parallel()
				m := newMachine(t)
				if file == "nbc-cmd.sh" {
					require.NoError(t, os.Remove(m.path("node.json")))
				} else {
					os.Remove(m.path(file))
				}
				require.NoError(t, syscall.Mkfifo(m.path(file), 0o600))
				if held {
					f, err := os.OpenFile(m.path(file), os.O_RDWR, 0)
					require.NoError(t, err)
					defer f.Close()
				}
				began := time.Now()

				o, _ := m.run("--timeout", "1s")

				assert.Equal(t, "failed", o.Outcome)
				assert.Less(t, time.Since(began), 15*time.Second)
				info, err := os.Lstat(m.path(file))
				require.NoError(t, err)
				assert.Equal(t, os.ModeNamedPipe, info.Mode().Type(), "it is still what it was")
			})
		}
	}
}

func TestR3NowhereToWrite(t *testing.T) {
	t.Parallel()
	m := newMachine(t)

	o, log := m.run("--pointer", "/proc/self/pointer.json", "--events-dir", "/proc/self/events")

	assert.Equal(t, "failed", o.Outcome)
	assert.Contains(t, o.Error, "stage: ")
	require.Len(t, o.Warnings, 1)
	assert.Contains(t, o.Warnings[0], "report: ")
	assert.Contains(t, log, `"outcome":"failed"`)
}

func TestR5EventsDirectoryIsNone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	require.NoError(t, os.WriteFile(m.path("events"), []byte("a file"), 0o600))

	o, _ := m.run()

	assert.Equal(t, "lpsRead", o.Outcome)
	assert.Len(t, o.Warnings, 1)
	m.requireStaged()
}

func TestR5ManyAtOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const runs = 20
	cmds := make([]*exec.Cmd, runs)
	for i := range cmds {
		cmds[i] = m.command()
		require.NoError(t, cmds[i].Start())
	}
	for _, cmd := range cmds {
		assert.NoError(t, cmd.Wait())
	}

	m.requireStaged()
	events, err := filepath.Glob(m.path("events/*.json"))
	require.NoError(t, err)
	assert.Len(t, events, runs)
}

// The examples in the schema are what the program prints, one for each outcome.
func TestResultExamples(t *testing.T) {
	t.Parallel()
	examples := readExamples(t, "", "outcome")
	for _, outcome := range enumOf(t, "", "outcome") {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			args := []string{"--current-version", "202604.01.0", "--timeout", "30s"}
			switch outcome {
			case "noHotfixForBase":
				args[1] = "202607.15.0"
			case "noHotfixAvailable":
				m.lps.Respond(lpstest.Reply{Code: codes.NotFound, Message: "no hotfix for this node"})
			case "customDataFallback":
				m.lps.Respond(lpstest.Reply{Code: codes.Unavailable, Message: "no healthy upstream"})
				require.NoError(t, writeNodeConfig(m.dir, m.lps, `{"202604.01":"202604.01.3"}`))
			case "failed":
				m.lps.Respond(lpstest.Reply{Code: codes.Unavailable, Message: "no healthy upstream"})
			}

			printed, err := m.command(args...).Output()

			require.NoError(t, err)
			require.NoError(t, checkJSON("", string(printed)))
			paths := strings.NewReplacer(m.dir+"/pointer.json", "/opt/azure/containers/aks-node-controller-hotfix.json",
				m.lps.Addr(), frontHost+":443")
			assert.Equal(t, settle(t, examples[outcome], paths), settle(t, printed, paths), "%s", printed)
			assert.NoError(t, checkJSON("", string(examples[outcome])+"\n"))
		})
	}
	assert.Len(t, examples, len(enumOf(t, "", "outcome")))
}

// Whatever lies in the place of the pointer file, explain says so at once, and leaves it there.
func TestExplainRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	fifo, socket := m.path("fifo"), m.path("socket")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer listener.Close()
	require.NoError(t, os.Symlink(fifo, m.path("link")))
	require.NoError(t, os.Symlink("loop", m.path("loop")))
	for _, path := range []string{fifo, socket, m.path("link"), m.path("loop"), os.DevNull, m.dir, "/proc/self/mem"} {
		began := time.Now()

		e := explainFile(path, "202604.01.0")

		assert.Equal(t, stateUnreadable, e.State, path)
		assert.NotEmpty(t, e.Error, path)
		assert.Less(t, time.Since(began), 5*time.Second, path)
		assert.NoError(t, checkJSON("explain", string(asJSON(t, e))))
	}
	assert.Equal(t, fifo, explainFile(m.path("link"), "").Target)
}
