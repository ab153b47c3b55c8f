//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

const (
	// fqdn is the API server's name in every node config. It resolves in the network namespaces only.
	fqdn           = "aks-e2e.hcp.example.io"
	component      = "aksNodeController"
	currentVersion = "202604.01.0"
	// published is what the service has, and embedded what the node's own config has in some tests.
	published = `{"hotfixes":{"202604.01":"202604.01.7"}}`
	embedded  = `{"202604.01":"202604.01.3"}`
	// networkTime is the default of --timeout. The watchdog ends the process after watchdogMargin more.
	networkTime    = 4 * time.Second
	watchdogMargin = 2 * time.Second
	// promptly is well before the first deadline, of connecting, which is after 3 s.
	promptly = 2500 * time.Millisecond
	// slack is for starting and reaping a process on a machine that is busy.
	slack = 2 * time.Second
)

// node is a machine that boots: its config, its metadata service, and the folders that check-hotfix writes to.
type node struct {
	dir  string
	imds *imdstest.Server
	// command is what starts the binary, its own path last.
	command []string
	flags   []string
	env     []string
	// timeout is --timeout.
	timeout time.Duration
	// user runs the probe, root if it is zero.
	user uint32
	runs int
}

// newNode returns a node whose front is at target.
func newNode(t *testing.T, ca *lpstest.CA, imds *imdstest.Server, target string) *node {
	t.Helper()
	n := &node{
		dir:     t.TempDir(),
		imds:    imds,
		command: []string{binary},
		flags:   []string{"--target", target, "--imds-endpoint", imds.URL()},
		timeout: networkTime,
	}
	n.writeConfig(t, ca, "")
	return n
}

// writeConfig writes the node's config, with the hotfixes embedded in it if there are any.
func (n *node) writeConfig(t *testing.T, ca *lpstest.CA, hotfixes string) {
	t.Helper()
	config := map[string]any{
		"version":            "v1",
		"api_server_config":  map[string]string{"api_server_name": fqdn},
		"kubernetes_ca_cert": ca.PEM(), // JSON has it in base64
	}
	if hotfixes != "" {
		config["hotfixes"] = json.RawMessage(hotfixes)
	}
	b, err := json.Marshal(config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(n.path("config.json"), b, 0o600))
}

func (n *node) path(name string) string { return filepath.Join(n.dir, name) }

// staged returns the pointer file, "" if there is none.
func (n *node) staged(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(n.path("pointer.json"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return strings.TrimSpace(string(b))
}

// report is the result that check-hotfix prints, and how long the process took.
type report struct {
	Outcome         string    `json:"outcome"`
	Source          string    `json:"source"`
	Staged          bool      `json:"staged"`
	ResolvedVersion string    `json:"resolved_version"`
	Attempts        []attempt `json:"attempts"`
	Error           string    `json:"error"`

	took time.Duration
}

type attempt struct {
	Step   string `json:"step"`
	Class  string `json:"class"`
	Reason string `json:"reason"`
	Code   string `json:"code"`
	Error  string `json:"error"`
}

// check is one run of check-hotfix, under way.
type check struct {
	node           *node
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	began          time.Time
}

// check runs check-hotfix.
func (n *node) check(t *testing.T) report {
	t.Helper()
	return n.start(t).wait(t)
}

func (n *node) start(t *testing.T) *check {
	t.Helper()
	args := append(n.command[1:len(n.command):len(n.command)], n.flags...)
	args = append(args, "--node-config", n.path("config.json"), "--nbc-cmd", n.path("none.sh"),
		"--pointer", n.path("pointer.json"), "--events-dir", n.path("events"), "--output", "json", "--log-level", "debug")
	if n.timeout != networkTime {
		args = append(args, "--timeout", n.timeout.String())
	}
	c := &check{node: n, cmd: exec.Command(n.command[0], args...), began: time.Now()}
	c.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, n.env...)
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	require.NoError(t, c.cmd.Start())
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	n.runs++
	return c
}

// whilePaused stops the process while f runs: for it, what f does happens at once, but for the time that is gone.
func (c *check) whilePaused(t *testing.T, f func()) {
	t.Helper()
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGSTOP))
	f()
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGCONT))
}

// wait returns the report, after checking what holds for every run: exit status 0 in time, one event, no token.
func (c *check) wait(t *testing.T) report {
	t.Helper()
	require.NoError(t, c.cmd.Wait(), "the exit status is 0: %s", &c.stderr)
	r := report{took: time.Since(c.began)}
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &r), "%s%s", &c.stdout, &c.stderr)
	require.NotEmpty(t, r.Attempts)
	assert.Less(t, r.took, c.node.timeout+watchdogMargin+slack)

	events, err := filepath.Glob(c.node.path("events/*.json"))
	require.NoError(t, err)
	require.Len(t, events, c.node.runs)
	last, err := os.ReadFile(events[len(events)-1])
	require.NoError(t, err)
	assert.Contains(t, string(last), "check-hotfix outcome="+r.Outcome)

	assertNoToken(t, c.node.imds, "stdout", c.stdout.Bytes())
	assertNoToken(t, c.node.imds, "stderr", c.stderr.Bytes())
	require.NoError(t, filepath.WalkDir(c.node.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		assertNoToken(t, c.node.imds, path, b)
		return err
	}))
	return r
}

// assertNoToken finds any 31 characters of the token.
func assertNoToken(t *testing.T, imds *imdstest.Server, where string, text []byte) {
	t.Helper()
	token := imds.Signature()
	for i := 0; i+16 <= len(token); i += 16 {
		if bytes.Contains(text, []byte(token[i:i+16])) {
			t.Errorf("the token is in %s", where)
			return
		}
	}
}

// assertRead says that the service's pointer was fetched and staged.
func assertRead(t *testing.T, n *node, r report) {
	t.Helper()
	assert.Equal(t, "lpsRead", r.Outcome)
	assert.Equal(t, "grpc", r.Source)
	assert.Equal(t, "202604.01.7", r.ResolvedVersion)
	assert.Equal(t, []attempt{{Step: "grpc", Class: "ok", Code: "OK"}}, r.Attempts)
	assert.JSONEq(t, published, n.staged(t))
}

// assertNoAnswer says that nobody answered, for this reason, and that nothing was staged.
func assertNoAnswer(t *testing.T, n *node, r report, reason string) {
	t.Helper()
	assert.Equal(t, "failed", r.Outcome)
	assert.Equal(t, "fallback", r.Attempts[0].Class, r.Error)
	assert.Equal(t, reason, r.Attempts[0].Reason, r.Error)
	assert.Empty(t, r.Attempts[0].Code)
	assert.Empty(t, n.staged(t))
}

// assertEmbedded says that nobody answered, for this reason, and that the pointer in the node's config was staged.
func assertEmbedded(t *testing.T, n *node, r report, reason string) {
	t.Helper()
	assert.Equal(t, "customDataFallback", r.Outcome)
	assert.Equal(t, "fallback", r.Attempts[0].Class, r.Error)
	assert.Equal(t, reason, r.Attempts[0].Reason, r.Error)
	assert.JSONEq(t, `{"hotfixes":`+embedded+`}`, n.staged(t))
}
