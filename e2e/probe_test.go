//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
)

// diagnosis is what the probe prints, as far as these tests look at it.
type diagnosis struct {
	Healthy   bool `json:"healthy"`
	Diagnosis struct {
		Layer    string `json:"layer"`
		Reason   string `json:"reason"`
		Sentence string `json:"sentence"`
	} `json:"diagnosis"`
}

// probe runs the probe on the node, which exits with status 0 if all is well and with 1 if not, and writes nothing.
func (n *node) probe(t *testing.T, flags ...string) diagnosis {
	t.Helper()
	args := append(n.command[1:len(n.command):len(n.command)], "probe")
	args = append(append(args, n.flags...), "--node-config", n.path("config.json"), "--nbc-cmd", n.path("none.sh"),
		"--pointer", n.path("pointer.json"), "--output", "json")
	cmd := exec.Command(n.command[0], append(args, flags...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, n.env...)
	if n.user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: n.user, Gid: n.user}}
	}
	out, err := cmd.Output()
	var d diagnosis
	require.NoError(t, json.Unmarshal(out, &d), "%s %v", out, err)
	exit, failed := errors.AsType[*exec.ExitError](err)
	assert.Equal(t, !d.Healthy, failed, "%s", out)
	if failed {
		assert.Equal(t, 1, exit.ExitCode())
	}
	assertNoToken(t, n.imds, "stdout", out)
	assert.NoFileExists(t, n.path("pointer.json"))
	return d
}

// What is wrong in a real network is found in its layer: with the system's resolver, routes and time-outs.
func TestProbeInANetwork(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		apiServer     string
		cut           func(t *testing.T, w wire)
		layer, reason string
		says          string
	}{
		"healthy": {frontAddress, func(*testing.T, wire) {}, "", "", "has hotfix 202604.01.7"},
		"packets swallowed": {lostAddress, func(*testing.T, wire) {},
			"tcp", "connect", "are swallowed"},
		"unreachable route": {lostAddress, func(t *testing.T, w wire) {
			w.ip(t, "-n", w.node, "route", "add", "unreachable", lostAddress)
		}, "tcp", "connect", "has no route"},
		"no name server": {frontAddress, func(t *testing.T, w wire) {
			w.nameAPIServer(t, "# "+frontAddress)
		}, "dns", "dns", "No name server can be reached"},
		"metadata service swallowed": {frontAddress, func(t *testing.T, w wire) {
			w.ip(t, "-n", w.front, "address", "del", imdsAddress, "dev", "lo")
		}, "metadata", "identity", "169.254.169.254"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := layWire(t, tt.apiServer)
			c := wiredCluster(t, w)
			tt.cut(t, w)

			d := wiredNode(t, w, c).probe(t)

			assert.Equal(t, tt.layer, d.Diagnosis.Layer, d.Diagnosis.Sentence)
			assert.Equal(t, tt.reason, d.Diagnosis.Reason)
			assert.Contains(t, d.Diagnosis.Sentence, tt.says)
		})
	}
}

// What only root may do is found without trying it.
func TestProbeAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	const nobody = 65534
	c := newCluster(t)
	n := c.node(t, c.service.Addr())
	n.user = nobody
	n.dir = openFolder(t)
	require.NoError(t, os.Chmod(filepath.Dir(binary), 0o755))
	n.writeConfig(t, c.ca, "")
	require.NoError(t, os.Chmod(n.path("config.json"), 0o644))

	d := n.probe(t)
	assert.Equal(t, "not-writable", d.Diagnosis.Reason, d.Diagnosis.Sentence)

	require.NoError(t, os.Chmod(n.dir, 0o777))
	assert.True(t, n.probe(t).Healthy)

	theirs := n.path("theirs.json")
	require.NoError(t, os.WriteFile(theirs, []byte("{}"), 0o644))
	assert.Equal(t, "owner", n.probe(t, "--pointer", theirs).Diagnosis.Reason)
	require.NoError(t, os.Chmod(theirs, 0o600))
	assert.Equal(t, "unreadable", n.probe(t, "--pointer", theirs).Diagnosis.Reason)
}

// openFolder is a folder that every user can reach.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bootpointer-e2e-open-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// The page of a report in a real browser, which is in a network of its own without a way out: the diagnosis is seen in
// colour, and whatever peers sent runs nothing and loads nothing.
func TestProbePageInABrowser(t *testing.T) {
	t.Parallel()
	w := layWire(t, frontAddress)
	var trap *lpstest.TCPPeer
	w.inFront(t, func() (err error) {
		trap, err = lpstest.NewHangup(lpstest.WithAddress("127.0.0.1:0"))
		return err
	})
	t.Cleanup(func() { trap.Close() })
	attack := fmt.Sprintf(`<script>document.title="taken"</script><img src="http://%s/" onerror="document.title='taken'">`, trap.Addr())
	b := browser{t, w, t.TempDir()}

	taken, _ := b.open(writeFile(t, "control.html", []byte("<!DOCTYPE html><title>free</title>"+attack)))
	require.Contains(t, taken, "<title>taken</title>", "without our page it would work")
	require.NotZero(t, trap.Conns())
	before := trap.Conns()

	for name, tt := range map[string]struct {
		names  []string
		reply  lpstest.Reply
		says   string
		colour color.RGBA // of the verdict, on a light page
	}{
		"healthy":         {[]string{lpstest.ServerName}, lpstest.Reply{Config: published}, "the service has hotfix 202604.01.7", green},
		"a hostile reply": {[]string{lpstest.ServerName}, lpstest.Reply{Code: codes.Internal, Message: attack}, "The service itself answers Internal.", red},
		"a hostile name":  {[]string{attack}, lpstest.Reply{}, "for another name than " + lpstest.ServerName, red},
	} {
		ca, err := lpstest.NewCA()
		require.NoError(t, err)
		cert, err := ca.Issue(lpstest.WithDNSNames(tt.names...))
		require.NoError(t, err)
		service := lpstest.Start(t, lpstest.WithCA(ca), lpstest.WithCertificate(cert))
		service.Respond(tt.reply)
		c := newCluster(t)
		n := newNode(t, ca, c.imds, service.Addr())
		page := filepath.Join(b.dir, "report.html")
		n.probe(t, "--report", page)

		dom, picture := b.open(page)

		assert.Contains(t, dom, "<title>check-hotfix probe: ", name)
		assert.NotContains(t, dom, "<title>taken", name)
		assert.NotContains(t, dom, "<script", name)
		assert.Regexp(t, "<h1>[^<]*"+tt.says, dom, name)
		assert.True(t, shows(picture, tt.colour), "%s: the page has its colours", name)
	}
	assert.Equal(t, before, trap.Conns(), "a page loads nothing")
}

// The colours of the page, as in internal/probe.
var (
	green = color.RGBA{0x1a, 0x7f, 0x37, 0xff}
	red   = color.RGBA{0xcf, 0x22, 0x2e, 0xff}
)

// browser is Chromium in the front's namespace.
type browser struct {
	t   *testing.T
	w   wire
	dir string
}

// open returns a page's document after everything in it has run, and a picture of it.
func (b browser) open(page string) (dom string, picture image.Image) {
	b.t.Helper()
	shot := filepath.Join(b.dir, "page.png")
	cmd := exec.Command(installed(b.t, "ip"), "netns", "exec", b.w.front, installed(b.t, "chromium"), "--headless", "--no-sandbox",
		"--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-extensions", "--no-first-run", "--user-data-dir="+filepath.Join(b.dir, "profile"), "--virtual-time-budget=2000",
		"--window-size=1000,1400", "--screenshot="+shot, "--dump-dom", "file://"+page)
	out, err := cmd.Output()
	require.NoError(b.t, err)
	content, err := os.ReadFile(shot)
	require.NoError(b.t, err)
	picture, err = png.Decode(bytes.NewReader(content))
	require.NoError(b.t, err)
	return string(out), picture
}

// shows reports whether a picture has that colour in it.
func shows(picture image.Image, want color.RGBA) bool {
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if color.RGBAModel.Convert(picture.At(x, y)) == want {
				return true
			}
		}
	}
	return false
}
