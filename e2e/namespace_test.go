//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// The addresses in the namespaces. Those of documentation (RFC 5737) lead nowhere outside.
const (
	nodeAddress  = "192.0.2.10"
	frontAddress = "192.0.2.1"
	// lostAddress is routed to the front's machine, which does not have it and drops the packets without a word.
	lostAddress = "198.51.100.7"
	imdsAddress = "169.254.169.254"
)

// wire is a network of its own: a node's namespace and a front's, with one cable between them.
type wire struct {
	node, front string
}

var wires atomic.Int32

// layWire makes the two namespaces. In the node's, the API server's name is at apiServer and nothing else resolves.
func layWire(t *testing.T, apiServer string) wire {
	t.Helper()
	require.Zero(t, os.Getuid(), "network namespaces need root")
	id := fmt.Sprintf("bootpointer-%d-%d", os.Getpid(), wires.Add(1))
	w := wire{node: id + "-node", front: id + "-front"}
	for _, namespace := range []string{w.node, w.front} {
		w.ip(t, "netns", "add", namespace)
		t.Cleanup(func() { w.ip(t, "netns", "del", namespace) })
		w.ip(t, "-n", namespace, "link", "set", "lo", "up")
	}
	w.ip(t, "link", "add", "eth0", "netns", w.node, "type", "veth", "peer", "name", "eth0", "netns", w.front)
	w.ip(t, "-n", w.node, "address", "add", nodeAddress+"/24", "dev", "eth0")
	w.ip(t, "-n", w.front, "address", "add", frontAddress+"/24", "dev", "eth0")
	w.ip(t, "-n", w.front, "address", "add", imdsAddress+"/32", "dev", "lo")
	w.ip(t, "-n", w.node, "link", "set", "eth0", "up")
	w.ip(t, "-n", w.front, "link", "set", "eth0", "up")
	w.ip(t, "-n", w.node, "route", "add", "default", "via", frontAddress)
	// A new namespace may inherit forwarding from the machine, and a front that forwards would tell the node so.
	w.ip(t, "netns", "exec", w.front, "sh", "-c", "echo 0 >/proc/sys/net/ipv4/ip_forward")
	w.nameAPIServer(t, apiServer)
	return w
}

// nameAPIServer has "ip netns exec" lay files over /etc in the node's namespace.
func (w wire) nameAPIServer(t *testing.T, address string) {
	t.Helper()
	dir := filepath.Join("/etc/netns", w.node)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	t.Cleanup(func() {
		os.RemoveAll(dir)
		os.Remove("/etc/netns") // if it is empty
	})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hosts"), []byte(address+" "+fqdn+"\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "resolv.conf"), []byte("nameserver "+frontAddress+"\n"), 0o644))
}

func (w wire) ip(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command(installed(t, "ip"), args...).CombinedOutput()
	require.NoErrorf(t, err, "ip %s: %s", strings.Join(args, " "), out)
}

// inFront runs f in the front's namespace. Sockets that f opens stay in it.
func (w wire) inFront(t *testing.T, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		namespace, err := os.Open("/run/netns/" + w.front)
		if err == nil {
			defer namespace.Close()
			err = unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET)
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	require.NoError(t, <-done)
}

// wiredCluster starts a cluster at the far end of w, where a real one is: the service on port 443, the metadata service
// at its own address.
func wiredCluster(t *testing.T, w wire) *cluster {
	t.Helper()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	c := &cluster{ca: ca}
	w.inFront(t, func() (err error) {
		if c.imds, err = imdstest.New(imdstest.WithAddress(imdsAddress + ":80")); err != nil {
			return err
		}
		t.Cleanup(func() { c.imds.Close() })
		c.service, err = lpstest.New(lpstest.WithAddress(frontAddress+":443"), lpstest.WithCA(ca),
			lpstest.WithToken(c.imds.Signature()))
		return err
	})
	t.Cleanup(func() { c.service.Close() })
	c.service.Serve(component, published)
	return c
}

// wiredNode is a node at the near end of w. It is told neither where the front nor where the metadata service is.
func wiredNode(t *testing.T, w wire, c *cluster) *node {
	t.Helper()
	n := c.node(t, "")
	n.command = []string{installed(t, "ip"), "netns", "exec", w.node, binary}
	n.flags = nil
	return n
}

// The default addresses: the API server's name on port 443, and 169.254.169.254.
func TestNodeWithNothingButDefaults(t *testing.T) {
	t.Parallel()
	w := layWire(t, frontAddress)
	c := wiredCluster(t, w)
	n := wiredNode(t, w, c)
	assertRead(t, n, n.check(t))
	c.assertCalled(t, 1)
}

// T1 once more, where it counts: Go's proxy rules leave out loopback by themselves, but not these addresses.
func TestT1NodeWithProxiesInItsEnvironment(t *testing.T) {
	t.Parallel()
	w := layWire(t, frontAddress)
	c := wiredCluster(t, w)
	var trap *lpstest.TCPPeer
	w.inFront(t, func() (err error) {
		trap, err = lpstest.NewHangup(lpstest.WithAddress(frontAddress + ":3128"))
		return err
	})
	t.Cleanup(func() { trap.Close() })
	n := wiredNode(t, w, c)
	n.env = proxies(trap.Addr())
	assertRead(t, n, n.check(t))
	c.assertCalled(t, 1)
	assert.Zero(t, trap.Conns())
}

// I3: the node boots before its network does. Neither the metadata service nor the front can be reached at first.
func TestI3RouteAppearsMeanwhile(t *testing.T) {
	t.Parallel()
	w := layWire(t, frontAddress)
	c := wiredCluster(t, w)
	w.ip(t, "-n", w.node, "route", "del", "default")
	n := wiredNode(t, w, c)
	run := n.start(t)
	time.Sleep(500 * time.Millisecond)
	w.ip(t, "-n", w.node, "route", "add", "default", "via", frontAddress)
	assertRead(t, n, run.wait(t))
	c.assertCalled(t, 1)
}

func TestNodeWithoutAWayToTheService(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		apiServer string
		cut       func(t *testing.T, w wire)
		reason    string
		says      string
		atLeast   time.Duration
	}{
		"T7 packets swallowed": {lostAddress, func(*testing.T, wire) {},
			"connect", "timeout", networkTime / 2},
		"blackhole route": {lostAddress, func(t *testing.T, w wire) {
			w.ip(t, "-n", w.node, "route", "add", "blackhole", lostAddress)
		}, "connect", "invalid argument", 0}, // so the kernel calls it
		"unreachable route": {lostAddress, func(t *testing.T, w wire) {
			w.ip(t, "-n", w.node, "route", "add", "unreachable", lostAddress)
		}, "connect", "no route to host", 0},
		"no route": {lostAddress, func(t *testing.T, w wire) {
			w.ip(t, "-n", w.node, "route", "add", imdsAddress, "via", frontAddress)
			w.ip(t, "-n", w.node, "route", "del", "default")
		}, "connect", "network is unreachable", networkTime / 2}, // it might have come up
		"name that does not resolve": {frontAddress, func(t *testing.T, w wire) {
			w.nameAPIServer(t, "# "+frontAddress)
		}, "dns", fqdn, 0},
		"metadata service swallowed": {frontAddress, func(t *testing.T, w wire) {
			w.ip(t, "-n", w.front, "address", "del", imdsAddress, "dev", "lo")
		}, "identity", "", networkTime / 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := layWire(t, tt.apiServer)
			c := wiredCluster(t, w)
			tt.cut(t, w)
			n := wiredNode(t, w, c)

			r := n.check(t)

			assertNoAnswer(t, n, r, tt.reason)
			assert.Contains(t, r.Attempts[0].Error, tt.says)
			assert.Greater(t, r.took, tt.atLeast)
			assert.Less(t, r.took, networkTime+slack)
			c.assertCalled(t, 0)
		})
	}
}

// The cable is pulled while the service works on the call: the peer is silent, and no error ever comes.
func TestNodeThatLosesTheNetworkDuringTheCall(t *testing.T) {
	t.Parallel()
	w := layWire(t, frontAddress)
	c := wiredCluster(t, w)
	c.service.Respond(lpstest.Reply{Hang: true})
	n := wiredNode(t, w, c)
	n.writeConfig(t, c.ca, embedded)
	run := n.start(t)
	require.Eventually(t, func() bool { return len(c.service.Calls()) == 1 }, networkTime, time.Millisecond)
	w.ip(t, "-n", w.front, "link", "set", "eth0", "down")
	r := run.wait(t)
	assertEmbedded(t, n, r, "deadline")
	assert.Less(t, r.took, networkTime+slack)
	c.assertCalled(t, 1)
}

// I2: a metadata service that takes 2.5 s, with the node's own budget.
func TestI2SlowMetadata(t *testing.T) {
	t.Parallel()
	w := layWire(t, frontAddress)
	c := wiredCluster(t, w)
	c.imds.Respond(imdstest.Reply{Delay: 2500 * time.Millisecond})
	n := wiredNode(t, w, c)
	assertRead(t, n, n.check(t))
	c.assertCalled(t, 1)
}

// R3: env -i, no arguments, and none of the files that the defaults name, on a machine without a route: what an image
// does before it is anybody's node. The mounts are private to the process.
func TestR3EmptyEnvironmentNoArguments(t *testing.T) {
	t.Parallel()
	const (
		mount    = "mount -t tmpfs none /opt; mount -t tmpfs none /var/log; "
		mkdir    = "mkdir -p /opt/azure/containers /var/log/azure; "
		readOnly = "mount -o remount,ro /opt; mount -o remount,ro /var/log; "
	)
	for name, tt := range map[string]struct {
		machine string
		files   []string // patterns of what there is afterwards
	}{
		"no folders":             {mount, []string{`^/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events/\d+\.json$`}},
		"empty folders":          {mount + mkdir, []string{`^/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events/\d+\.json$`}},
		"read-only file systems": {mount + mkdir + readOnly, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(installed(t, "ip"), "netns", "exec", emptyNamespace(t), "unshare", "--mount", "sh", "-euc",
				tt.machine+`test -z "$(ip route)"; env -i "$0"; echo "files:"; find /opt /var/log ! -type d`, binary)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			began := time.Now()

			out, err := cmd.Output()

			require.NoError(t, err, "exit status 0: %s%s", out, &stderr)
			assert.Less(t, time.Since(began), networkTime+watchdogMargin+slack)
			result, files, _ := strings.Cut(string(out), "files:\n")
			assert.True(t, strings.HasPrefix(result, "failed: no pointer was staged"), "%s", result)
			assert.Contains(t, result, "no file at /opt/azure/containers/aks-node-controller-config.json")
			left := strings.Fields(files)
			require.Len(t, left, len(tt.files), "nothing is staged, and no temporary file stays: %s", files)
			for i, pattern := range tt.files {
				assert.Regexp(t, pattern, left[i])
			}
		})
	}
}

// emptyNamespace makes a network of nothing but a loopback interface that is down.
func emptyNamespace(t *testing.T) string {
	t.Helper()
	require.Zero(t, os.Getuid(), "network namespaces need root")
	w := wire{node: fmt.Sprintf("bootpointer-%d-%d-empty", os.Getpid(), wires.Add(1))}
	w.ip(t, "netns", "add", w.node)
	t.Cleanup(func() { w.ip(t, "netns", "del", w.node) })
	return w.node
}
