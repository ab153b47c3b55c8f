//go:build e2e

package e2e_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
)

// front is a proxy between a node and its cluster that routes by ALPN.
type front struct {
	*program
	addr string
}

// routing is what the config of a front is made of.
type routing struct {
	Dir, Listen string
	// Service gets what offers the service's ALPN. It is empty in a front that does not know the service.
	Service string
	// APIServer gets everything else.
	APIServer string
	// IdleMS is after how many milliseconds of silence a connection is cut.
	IdleMS int
}

// fronts are the kinds of proxy, each with what starts one in the foreground.
var fronts = map[string]func(t *testing.T, r routing) *program{
	"nginx": func(t *testing.T, r routing) *program {
		config := writeConfig(t, "nginx-front.conf", r)
		return &program{path: installed(t, "nginx"), args: []string{"-p", filepath.Dir(config), "-c", config, "-e", "stderr"}}
	},
	"haproxy": func(t *testing.T, r routing) *program {
		return &program{path: installed(t, "haproxy"), args: []string{"-db", "-f", writeConfig(t, "haproxy-front.cfg", r)}}
	},
}

// withEachFront tells a story once with each kind of proxy, before a cluster of its own. change may be nil.
func withEachFront(t *testing.T, change func(*routing), story func(t *testing.T, c *cluster, f *front)) {
	t.Parallel()
	for kind, newProgram := range fronts {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			r := routing{Dir: t.TempDir(), Listen: freeAddress(t), IdleMS: 60_000,
				Service: c.service.Addr(), APIServer: c.apiServer.Addr()}
			if change != nil {
				change(&r)
			}
			p := newProgram(t, r)
			p.ready = listening(r.Listen)
			story(t, c, &front{startProgram(t, p), r.Listen})
		})
	}
}

// The node gets to the service, and a client that does not offer the service's ALPN to the API server.
func TestFrontRoutesByALPN(t *testing.T) {
	withEachFront(t, nil, func(t *testing.T, c *cluster, f *front) {
		n := c.node(t, f.addr)
		assertRead(t, n, n.check(t))
		c.assertCalled(t, 1)
		c.assertAPIServerAlone(t)

		for _, tt := range []struct{ offered, names []string }{
			{[]string{"h2"}, []string{fqdn}},
			{nil, []string{fqdn}},
			{[]string{"h2", "http/1.1"}, []string{fqdn}},
			{[]string{"aks-live-patching-2", "h2"}, []string{fqdn}},
			{[]string{lpstest.ALPN, "h2"}, []string{lpstest.ServerName}},
			{[]string{"h2", lpstest.ALPN}, []string{lpstest.ServerName}},
		} {
			assert.Equal(t, tt.names, whoAnswers(t, f.addr, tt.offered), "offering %q", tt.offered)
		}
	})
}

// T8: the front does not know the service's ALPN yet, or no longer.
func TestT8FrontWithoutTheRoute(t *testing.T) {
	withEachFront(t, func(r *routing) { r.Service = "" }, func(t *testing.T, c *cluster, f *front) {
		n := c.node(t, f.addr)
		r := n.check(t)
		assertNoAnswer(t, n, r, "cert-name")
		assert.Contains(t, r.Attempts[0].Error, fqdn)
		assert.Contains(t, r.Attempts[0].Error, lpstest.ServerName)

		n.writeConfig(t, c.ca, embedded)
		assertEmbedded(t, n, n.check(t), "cert-name")

		c.assertAPIServerRefused(t)
		c.assertCalled(t, 0)
	})
}

func TestFrontStopped(t *testing.T) {
	withEachFront(t, nil, func(t *testing.T, c *cluster, f *front) {
		f.stop()
		n := c.node(t, f.addr)
		r := n.check(t)
		assertNoAnswer(t, n, r, "connect")
		assert.Contains(t, r.Attempts[0].Error, "connection refused")
		assert.Less(t, r.took, promptly)

		f.start(t)
		assertRead(t, n, n.check(t))
		c.assertCalled(t, 1)
	})
}

// The front is restarted while the node is in its handshake: the retry lands.
func TestFrontRestartedDuringTheHandshake(t *testing.T) {
	withEachFront(t, nil, func(t *testing.T, c *cluster, f *front) {
		silent := instead(t, c, lpstest.NewSilent)
		n := c.node(t, f.addr)
		n.timeout = startTime // enough for the restart, however slow the machine
		run := n.start(t)
		require.Eventually(t, func() bool { return silent.Conns() == 1 }, networkTime, time.Millisecond)
		run.whilePaused(t, func() {
			f.restart(t)
			require.NoError(t, silent.Close())
			listenAgain(t, c.service.Restart)
		})
		assertRead(t, n, run.wait(t))
		c.assertCalled(t, 1)
		c.assertAPIServerAlone(t)
	})
}

// The front is restarted while the service works on the call: the retry lands.
func TestFrontRestartedDuringTheCall(t *testing.T) {
	withEachFront(t, nil, func(t *testing.T, c *cluster, f *front) {
		c.service.Respond(lpstest.Reply{Hang: true}, lpstest.Reply{Config: published})
		n := c.node(t, f.addr)
		n.timeout = startTime // enough for the restart, however slow the machine
		run := n.start(t)
		require.Eventually(t, func() bool { return len(c.service.Calls()) == 1 }, networkTime, time.Millisecond)
		run.whilePaused(t, func() { f.restart(t) })
		assertRead(t, n, run.wait(t))
		c.assertCalled(t, 2)
		c.assertAPIServerAlone(t)
	})
}

// The front is up, and accepts, but nobody listens behind it.
func TestServiceStoppedBehindTheFront(t *testing.T) {
	withEachFront(t, nil, func(t *testing.T, c *cluster, f *front) {
		c.service.Stop()
		n := c.node(t, f.addr)
		r := n.check(t)
		assertNoAnswer(t, n, r, "connect") // the connection is there, and ends in the handshake
		assert.Contains(t, r.Attempts[0].Error, "EOF")
		assert.Less(t, r.took, promptly)
		c.assertAPIServerAlone(t)

		listenAgain(t, c.service.Restart)
		assertRead(t, n, n.check(t))
		c.assertCalled(t, 1)
	})
}

// The front cuts connections after a short silence, and the service falls silent after its handshake.
func TestFrontClosesAfterTheHandshake(t *testing.T) {
	withEachFront(t, func(r *routing) { r.IdleMS = 200 }, func(t *testing.T, c *cluster, f *front) {
		mute := instead(t, c, lpstest.NewRawHTTP2, lpstest.WithCA(c.ca), lpstest.WithoutSettings())
		n := c.node(t, f.addr)
		assertNoAnswer(t, n, n.check(t), "connect")
		require.Len(t, mute.Handshakes(), 2, "one retry")
		for _, h := range mute.Handshakes() {
			assert.NoError(t, h.Err)
		}
		assert.Empty(t, mute.Requests(), "no token before there is HTTP/2")
		c.assertAPIServerAlone(t)
	})
}

// Latency and faults of the service come through the front as they are.
func TestServiceBehindTheFront(t *testing.T) {
	withEachFront(t, nil, func(t *testing.T, c *cluster, f *front) {
		n := c.node(t, f.addr)
		c.service.Respond(lpstest.Reply{Delay: 1500 * time.Millisecond, Config: published})
		r := n.check(t)
		assertRead(t, n, r)
		assert.Greater(t, r.took, 1500*time.Millisecond)
		c.assertCalled(t, 1)

		c.service.Respond(lpstest.Reply{Code: codes.NotFound})
		assert.Equal(t, "noHotfixAvailable", n.check(t).Outcome)
		c.assertCalled(t, 2)
	})
}

func TestServiceThatHangsBehindTheFront(t *testing.T) {
	withEachFront(t, nil, func(t *testing.T, c *cluster, f *front) {
		hung := instead(t, c, lpstest.NewRawHTTP2, lpstest.WithCA(c.ca))
		n := c.node(t, f.addr)
		r := n.check(t)
		assertNoAnswer(t, n, r, "deadline")
		assert.Less(t, r.took, networkTime+slack)
		assert.Len(t, hung.Requests(), 1)
	})
}
