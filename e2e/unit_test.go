//go:build e2e

package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// unitSettings returns the values of a setting in the packaged unit, in the order in which they stand there.
func unitSettings(t *testing.T, root, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/check-hotfix.service"))
	require.NoError(t, err)
	var values []string
	for _, m := range regexp.MustCompile(`(?m)^`+name+`=(.*)$`).FindAllStringSubmatch(string(b), -1) {
		values = append(values, m[1])
	}
	return values
}

// maxExposure is ten times the score up to which the unit counts as sandboxed, from 0 to 100. It has 23: it is root, it has the
// network, and what it stages keeps its owner.
const maxExposure = "25"

// assertUnit has systemd read the unit, in a root folder with the units of this machine around it.
func assertUnit(t *testing.T, root string) {
	units := filepath.Join(root, "usr/lib/systemd/system")
	output(t, "cp", "-R", "--no-clobber", "/lib/systemd/system/.", units)
	// These are not of Debian. A boot that wants them all has to find an order for them.
	others := []string{"kubelet.service", "aks-node-controller.service", "cloud-init.service"}
	for _, name := range others {
		require.NoError(t, os.WriteFile(filepath.Join(units, name), []byte(
			"[Unit]\nAfter=network-online.target\nWants=network-online.target\n[Service]\nExecStart=/usr/bin/check-hotfix\n"), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(units, "boot.target"), []byte(
		"[Unit]\nWants=check-hotfix.service "+strings.Join(others, " ")+"\n"), 0o644))

	for _, unit := range []string{"check-hotfix.service", "boot.target"} {
		assertNoComplaint(t, "systemd-analyze", "verify", "--man=no", "--root", root, unit)
	}
	output(t, "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold", maxExposure, "--root", root, "check-hotfix.service")

	runs, waits := seconds(t, root, "TimeoutStartSec"), seconds(t, root, "JobTimeoutSec")
	assert.Greater(t, runs, networkTime+watchdogMargin, "the program ends itself first")
	assert.Greater(t, waits, runs)
	assert.LessOrEqual(t, waits, 30*time.Second, "a unit that cannot start holds nobody up for longer")
	assert.Equal(t, []string{"oneshot"}, unitSettings(t, root, "Type"))
	assert.Equal(t, []string{"-/usr/bin/check-hotfix"}, unitSettings(t, root, "ExecStart"), "a crash does not fail the unit")
	for _, name := range []string{"Requires", "RequiredBy", "BindsTo", "OnFailure", "Restart"} {
		assert.Empty(t, unitSettings(t, root, name), name)
	}
}

func seconds(t *testing.T, root, name string) time.Duration {
	t.Helper()
	values := unitSettings(t, root, name)
	require.Len(t, values, 1, name)
	d, err := time.ParseDuration(values[0])
	require.NoError(t, err)
	return d
}

// assertSandbox runs the installed binary with no more rights than the unit leaves it. It is the job that is hardest: the
// pointer file is somebody else's, with attributes.
func assertSandbox(t *testing.T, root string) {
	c := newCluster(t)
	n := c.node(t, c.service.Addr())
	trace := filepath.Join(t.TempDir(), "trace")
	n.command = []string{installed(t, "strace"), "-f", "-o", trace, installed(t, "setpriv"), "--no-new-privs",
		"--bounding-set", "-all" + capabilities(t, root), filepath.Join(root, "usr/bin/check-hotfix")}
	before := n.path("pointer.json")
	require.NoError(t, os.WriteFile(before, []byte(`{"version":"202604.01.5"}`), 0o640))
	require.NoError(t, unix.Setxattr(before, "user.origin", []byte("cloud-init"), 0))
	require.NoError(t, os.Chown(before, 1234, 1234))

	r := n.check(t)

	assert.Equal(t, "lpsRead", r.Outcome, r.Error)
	var after unix.Stat_t
	require.NoError(t, unix.Stat(n.path("pointer.json"), &after))
	assert.EqualValues(t, []uint32{1234, 1234, 0o640}, []uint32{after.Uid, after.Gid, after.Mode & 0o777})
	value := make([]byte, 32)
	size, err := unix.Getxattr(n.path("pointer.json"), "user.origin", value)
	require.NoError(t, err)
	assert.Equal(t, "cloud-init", string(value[:size]))

	calls := callsOf(t, trace, "check-hotfix")
	allowed := allowedCalls(t, root)
	families := strings.Fields(unitSettings(t, root, "RestrictAddressFamilies")[0])
	for _, call := range calls {
		assert.Contains(t, allowed, call.name, "SystemCallFilter")
		if call.name == "socket" {
			family, _, _ := strings.Cut(call.args, ",")
			assert.Contains(t, families, family, "RestrictAddressFamilies")
		}
	}
	for _, name := range []string{"fchown", "socket", "renameat2", "fsync"} { // the trace has the whole run
		find(t, calls, name, "")
	}
}

// callsOf returns the calls of a trace after the one that executes the program.
func callsOf(t *testing.T, trace, program string) []systemCall {
	t.Helper()
	calls := readTrace(t, trace)
	start := slices.IndexFunc(calls, func(c systemCall) bool {
		return c.name == "execve" && strings.Contains(c.args, "/"+program+`"`) && !strings.Contains(c.args, "setpriv")
	})
	require.GreaterOrEqual(t, start, 0)
	return calls[start+1:]
}

// capabilities returns the capabilities of the unit as setpriv takes them.
func capabilities(t *testing.T, root string) string {
	t.Helper()
	var list strings.Builder
	for _, name := range strings.Fields(strings.Join(unitSettings(t, root, "CapabilityBoundingSet"), " ")) {
		list.WriteString(",+" + strings.ToLower(strings.TrimPrefix(name, "CAP_")))
	}
	return list.String()
}

// allowedCalls returns the system calls that the unit's filters leave, as systemd has them.
func allowedCalls(t *testing.T, root string) map[string]bool {
	t.Helper()
	allowed := map[string]bool{"execve": true} // systemd's own, before the program
	for _, filter := range unitSettings(t, root, "SystemCallFilter") {
		names, removes := strings.CutPrefix(filter, "~")
		for _, name := range strings.Fields(names) {
			for _, call := range expandCalls(t, name) {
				if allowed[call] = true; removes {
					delete(allowed, call)
				}
			}
		}
	}
	return allowed
}

// expandCalls returns the system calls in a group, and in the groups in it.
func expandCalls(t *testing.T, name string) []string {
	t.Helper()
	if !strings.HasPrefix(name, "@") {
		return []string{name}
	}
	var calls []string
	for line := range strings.Lines(output(t, "systemd-analyze", "--no-pager", "syscall-filter", name)) {
		if line = strings.TrimSpace(line); line != "" && line != name && !strings.HasPrefix(line, "#") {
			calls = append(calls, expandCalls(t, line)...)
		}
	}
	return calls
}
