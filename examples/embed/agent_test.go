package main

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/test/bufconn"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

func testCA(t *testing.T) *lpstest.CA {
	t.Helper()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	return ca
}

func TestCheckHotfixLogsThroughTheAgent(t *testing.T) {
	t.Parallel()
	n := newNode(t, testCA(t), "")
	_, log := n.agent(t, scripted(transporttest.Body(`{"hotfixes":{"202604.01":"202604.01.1"}}`)),
		"check-hotfix", "--metadata", n.metadata.URL(), "--events", n.path("events.jsonl"))

	assert.Contains(t, log, "level=INFO msg=check-hotfix outcome=lpsRead")
}

func TestCheckHotfixNeverFails(t *testing.T) {
	t.Parallel()
	works := scripted(transporttest.Body(`{"hotfixes":{"202604.01":"202604.01.1"}}`))
	broken := func(transport.EndpointSource, transport.TokenSource) (closingTransport, error) {
		return nil, errors.New("no transport today")
	}
	for name, tc := range map[string]struct {
		connect connectFunc
		args    []string
		says    string
	}{
		"unknown flag":       {works, []string{"--frobnicate"}, "frobnicate"},
		"bad value":          {works, []string{"--wait", "soon"}, "soon"},
		"flag without value": {works, []string{"--events"}, "events"},
		"time that is none":  {works, []string{"--wait", "-1s"}, "not positive"},
		"no URL":             {works, []string{"--metadata", "169.254.169.254"}, "imds: endpoint"},
		"no transport":       {broken, nil, "no transport today"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t, testCA(t), embedded)

			_, log := n.agent(t, tc.connect, append([]string{"check-hotfix"}, tc.args...)...)

			assert.Contains(t, log, "nothing was done, the boot goes on")
			assert.Contains(t, log, tc.says)
			staged, err := os.ReadFile(n.path("staged.json"))
			require.NoError(t, err)
			assert.Equal(t, asCloudInitLeftIt, string(staged))
		})
	}
}

// An event that cannot be written costs the event.
func TestCheckHotfixWithoutEvents(t *testing.T) {
	t.Parallel()
	n := newNode(t, testCA(t), "")
	out, log := n.agent(t, scripted(transporttest.Body(`{"hotfixes":{"202604.01":"202604.01.1"}}`)),
		"check-hotfix", "--metadata", n.metadata.URL(), "--events", n.path("missing/events.jsonl"))

	assert.Equal(t, "lpsRead", out)
	assert.Contains(t, log, "report: open")
}

// Without a token nothing is called, and the embedded pointer is used.
func TestCheckHotfixWithoutIdentity(t *testing.T) {
	t.Parallel()
	listener := bufconn.Listen(64 << 10)
	lps := lpstest.Start(t, lpstest.WithListener(listener))
	n := newNode(t, lps.CA(), embedded)
	n.metadata.Respond(imdstest.Status(http.StatusBadRequest))

	got := n.checkEmbedded(t, throughMemory(listener))

	assert.Equal(t, "customDataFallback", got.Outcome)
	assert.Contains(t, got.Event.Message, "source=fallback reason=identity")
	assert.Empty(t, lps.Calls())
}

func TestProvision(t *testing.T) {
	t.Parallel()
	out, _ := newNode(t, testCA(t), "").agent(t, nil, "provision")
	assert.Equal(t, "would join the cluster at cluster.hcp.region.example", out)
}

func TestDownloadHotfixWithoutPointer(t *testing.T) {
	t.Parallel()
	n := newNode(t, testCA(t), "")
	require.NoError(t, os.Remove(n.path("staged.json")))

	out, _ := n.agent(t, nil, "download-hotfix")

	assert.Equal(t, "nothing is staged", out)
}

// What is staged for this node's base is no reason to install it: it may be what runs already, or older.
func TestDownloadHotfixChecksAgain(t *testing.T) {
	t.Parallel()
	n := newNode(t, testCA(t), "")
	require.NoError(t, os.WriteFile(n.path("staged.json"), []byte(`{"hotfixes":{"202604.01":"202604.01.0"}}`), 0o644))

	out, _ := n.agent(t, nil, "download-hotfix")

	assert.Equal(t, "202604.01.0 stays", out)
}

// TestPackages lists what a host that links grpc-go and urfave/cli takes on besides bootpointer; size.sh has the bytes.
func TestPackages(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the lists differ by operating system")
	}
	host, with := dependencies(t, "./testdata/host"), dependencies(t, ".")
	var ours, others []string
	for _, p := range with {
		switch {
		case slices.Contains(host, p), strings.HasSuffix(p, "/examples/embed"):
		case strings.HasPrefix(p, "github.com/bootpointer/"):
			ours = append(ours, p)
		default:
			others = append(others, p)
		}
	}
	t.Logf("host: %d packages; with bootpointer: %d of its own and %d others more", len(host), len(ours), len(others))
	assert.Equal(t, []string{"github.com/hashicorp/errwrap", "github.com/hashicorp/go-multierror",
		"mvdan.cc/sh/v3/fileutil", "mvdan.cc/sh/v3/syntax"}, others)
}

func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", pkg).Output()
	require.NoError(t, err)
	list := strings.Fields(string(out))
	slices.Sort(list)
	return list
}
