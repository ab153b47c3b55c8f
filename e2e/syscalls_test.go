//go:build e2e

package e2e_test

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
)

// systemCall is one line of strace.
type systemCall struct {
	name, args string
	// began and ended are line numbers. They differ for a call that was interrupted by others in the trace.
	began, ended int
}

var (
	wholeCall   = regexp.MustCompile(`^\d+ +(\w+)\((.*)\) += `)
	beginOfCall = regexp.MustCompile(`^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$`)
	endOfCall   = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)\) += `)
)

// readTrace returns the calls that returned, in the order in which they began.
func readTrace(t *testing.T, path string) []systemCall {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var calls []systemCall
	pending := make(map[string]systemCall) // by thread
	for i, line := range strings.Split(string(b), "\n") {
		if m := wholeCall.FindStringSubmatch(line); m != nil {
			calls = append(calls, systemCall{m[1], m[2], i, i})
		} else if m := beginOfCall.FindStringSubmatch(line); m != nil {
			pending[m[1]] = systemCall{m[2], m[3], i, 0}
		} else if m := endOfCall.FindStringSubmatch(line); m != nil {
			call := pending[m[1]]
			call.args, call.ended = call.args+m[2], i
			calls = append(calls, call)
		}
	}
	slices.SortFunc(calls, func(a, b systemCall) int { return a.began - b.began })
	return calls
}

// find returns the first call of that name whose arguments match.
func find(t *testing.T, calls []systemCall, name, args string) systemCall {
	t.Helper()
	pattern := regexp.MustCompile(args)
	for _, call := range calls {
		if strings.HasPrefix(call.name, name) && pattern.MatchString(call.args) {
			return call
		}
	}
	require.Failf(t, "not in the trace", "%s(… %s …)", name, args)
	return systemCall{}
}

// traced returns a node whose check-hotfix runs under strace, and the file that the trace goes to. The trace lies
// outside the node's folder: it has what the process writes.
func traced(t *testing.T, c *cluster, target string) (n *node, trace string) {
	t.Helper()
	trace = t.TempDir() + "/trace"
	n = c.node(t, target)
	n.command = []string{installed(t, "strace"), "-f", "-y", "-o", trace,
		"-e", "trace=/^(fsync|rename|renameat|renameat2|connect|sendto|socket)$", binary}
	return n, trace
}

// What is staged reaches the disk before it gets the pointer's name, and the name before the program ends.
func TestSyscallsOfStaging(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"no file": "", "a file": `{"version":"202604.01.5"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			n, trace := traced(t, c, c.service.Addr())
			if before != "" {
				require.NoError(t, os.WriteFile(n.path("pointer.json"), []byte(before), 0o644))
			}
			r := n.check(t)
			require.Equal(t, "lpsRead", r.Outcome, r.Error)

			calls := readTrace(t, trace)
			dir := regexp.QuoteMeta(n.dir)
			temp := dir + `/\.pointer\.json\.\w+\.tmp`
			written := find(t, calls, "fsync", `^\d+<`+temp+`>$`)
			renamed := find(t, calls, "rename", `"`+temp+`".*"`+dir+`/pointer\.json"`)
			named := find(t, calls, "fsync", `^\d+<`+dir+`>$`)
			assert.Less(t, written.ended, renamed.began, "the file is synced before it is renamed")
			assert.Less(t, renamed.ended, named.began, "the folder is synced after the rename")
		})
	}
}

// proxies returns an environment that wants everything to go through a proxy.
func proxies(addr string) []string {
	var env []string
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} {
		env = append(env, name+"=http://"+addr, strings.ToLower(name)+"=http://"+addr)
	}
	return env
}

// T1: whatever the environment says about proxies, the process connects to the front and the metadata service only.
func TestT1SyscallsOfConnecting(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	trap := lpstest.StartHangup(t)
	n, trace := traced(t, c, c.service.Addr())
	n.env = proxies(trap.Addr())

	assertRead(t, n, n.check(t))

	assert.Zero(t, trap.Conns())
	c.assertCalled(t, 1)
	metadata, err := url.Parse(c.imds.URL())
	require.NoError(t, err)
	port := regexp.MustCompile(`sin_port=htons\((\d+)\), sin_addr=inet_addr\("([\d.]+)"\)`)
	var connected []string
	for _, call := range readTrace(t, trace) {
		switch call.name {
		case "connect":
			m := port.FindStringSubmatch(call.args)
			require.NotNil(t, m, "connect(%s)", call.args)
			connected = append(connected, m[2]+":"+m[1])
		case "socket":
			assert.Contains(t, call.args, "SOCK_STREAM", "nothing but TCP")
		case "sendto":
			t.Errorf("sendto(%s)", call.args)
		}
	}
	assert.ElementsMatch(t, []string{c.service.Addr(), metadata.Host}, connected)
}
