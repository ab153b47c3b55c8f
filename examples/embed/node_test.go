package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/test/bufconn"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

const (
	current = "202604.01.0"
	// patience is the network's time here: no test waits for its end, and machines are busy.
	patience = 30 * time.Second
)

// node is a folder with what a node has on disk, and the metadata service it asks.
type node struct {
	dir      string
	metadata *imdstest.Server
}

// newNode returns a node whose config trusts ca and has the embedded hotfixes, if there are any.
func newNode(t *testing.T, ca *lpstest.CA, hotfixes string) node {
	t.Helper()
	n := node{dir: t.TempDir(), metadata: imdstest.Start(t)}
	config := map[string]any{
		"api_server_config":  map[string]string{"api_server_name": "cluster.hcp.region.example"},
		"kubernetes_ca_cert": ca.PEM(), // JSON has it in base64
	}
	if hotfixes != "" {
		config["hotfixes"] = json.RawMessage(hotfixes)
	}
	b, err := json.Marshal(config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(n.path("config.json"), b, 0o600))
	require.NoError(t, os.WriteFile(n.path("staged.json"), []byte(asCloudInitLeftIt), 0o644))
	return n
}

// asCloudInitLeftIt has a member that is not ours.
const asCloudInitLeftIt = `{"scripts_version":"202604.01.7"}`

func (n node) path(name string) string { return filepath.Join(n.dir, name) }

// seen is what a check leaves behind, apart from times and addresses.
type seen struct {
	Outcome string
	Staged  string
	Event   event
}

func (n node) seen(t *testing.T, outcome string, e event) seen {
	t.Helper()
	staged, err := os.ReadFile(n.path("staged.json"))
	require.NoError(t, err)
	// The text of an error has addresses in it, and what follows the bar is times.
	e.Message = regexp.MustCompile(`( error=".*")? \| .*$`).ReplaceAllString(e.Message, "")
	return seen{Outcome: outcome, Staged: string(staged), Event: e}
}

// checkStandalone runs the binary on n.
func (n node) checkStandalone(t *testing.T, target string) seen {
	t.Helper()
	cmd := exec.Command(standalone, "--node-config", n.path("config.json"), "--nbc-cmd", n.path("none"),
		"--pointer", n.path("staged.json"), "--events-dir", n.path("events"), "--output", "json",
		"--imds-endpoint", n.metadata.URL(), "--target", target, "--timeout", patience.String())
	cmd.Env = []string{}
	out, err := cmd.Output()
	require.NoError(t, err)
	var result struct{ Outcome string }
	require.NoError(t, json.Unmarshal(out, &result))
	files, err := filepath.Glob(n.path("events/*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	var e struct{ TaskName, EventLevel, Message string }
	require.NoError(t, json.Unmarshal(b, &e))
	return n.seen(t, result.Outcome, event{Task: e.TaskName, Level: e.EventLevel, Message: e.Message})
}

// checkEmbedded runs the agent on n.
func (n node) checkEmbedded(t *testing.T, connect connectFunc) seen {
	t.Helper()
	out, _ := n.agent(t, connect, "check-hotfix", "--metadata", n.metadata.URL(), "--events", n.path("events.jsonl"),
		"--wait", patience.String())
	b, err := os.ReadFile(n.path("events.jsonl"))
	require.NoError(t, err)
	var e event
	require.NoError(t, json.Unmarshal(b, &e), "one event, on one line")
	return n.seen(t, out, e)
}

type connectFunc = func(transport.EndpointSource, transport.TokenSource) (closingTransport, error)

// agent runs a command of the agent, which has to succeed, and returns its output and its log.
func (n node) agent(t *testing.T, connect connectFunc, args ...string) (out, log string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &agent{version: current, out: &stdout, log: slog.New(slog.NewTextHandler(&stderr, nil)), connect: connect}
	args = append([]string{"agent", "--config", n.path("config.json"), "--staged", n.path("staged.json")}, args...)
	require.NoError(t, a.command().Run(t.Context(), args))
	assert.NotContains(t, stdout.String()+stderr.String(), n.metadata.Signature(), "the token is a secret")
	return strings.TrimSpace(stdout.String()), stderr.String()
}

// throughMemory returns the real transport, its connections going to a listener without a socket.
func throughMemory(ln *bufconn.Listener) connectFunc {
	return func(endpoints transport.EndpointSource, tokens transport.TokenSource) (closingTransport, error) {
		return grpctransport.New(endpoints, tokens, grpctransport.WithDialer(
			func(ctx context.Context, _, _ string) (net.Conn, error) { return ln.DialContext(ctx) }))
	}
}

// scripted returns a fake instead of the real transport: the quickest way to test what the host does with an answer.
func scripted(reply transporttest.Reply) connectFunc {
	return func(transport.EndpointSource, transport.TokenSource) (closingTransport, error) {
		return scriptedTransport{transporttest.NewFake(reply)}, nil
	}
}

type scriptedTransport struct{ *transporttest.Fake }

func (scriptedTransport) Close() error { return nil }

// serve starts a service that gives this reply to every call.
func serve(t *testing.T, reply lpstest.Reply, opts ...lpstest.Option) *lpstest.Server {
	t.Helper()
	lps := lpstest.Start(t, opts...)
	lps.Respond(reply)
	return lps
}
