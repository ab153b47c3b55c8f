package imds_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// insideNetwork tells the test binary that it runs in an empty network namespace of its own.
const insideNetwork = "BOOTPOINTER_TEST_NETWORK"

// TestI3 runs the tests named TestInside… at the default endpoint, in a namespace without any route.
func TestI3(t *testing.T) {
	t.Parallel()
	for _, inside := range []string{"TestInsideRouteAppears", "TestInsideNoRoute"} {
		t.Run("I3 "+inside, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+inside+"$", "-test.v")
			cmd.Env = append(os.Environ(), insideNetwork+"=1")
			for _, proxy := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} { // none is asked
				cmd.Env = append(cmd.Env, proxy+"=http://169.254.169.254:9")
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil {
				t.Skipf("no network namespaces for this user: %v", err)
			}
			require.NoError(t, err, "%s", out)
			assert.Contains(t, string(out), "--- PASS: "+inside)
		})
	}
}

func TestInsideRouteAppears(t *testing.T) {
	skipOutside(t)
	server := imdstest.Start(t, imdstest.WithAddress("0.0.0.0:80"))
	up := time.AfterFunc(500*time.Millisecond, func() { addLoopback(t, "169.254.169.254") })
	defer up.Stop()
	got, err := tokenByDefault(t)
	require.NoError(t, err)
	assert.Equal(t, server.Signature(), got)
}

func TestInsideNoRoute(t *testing.T) {
	skipOutside(t)
	began, busy := time.Now(), cpuTime(t)
	_, err := tokenByDefault(t)
	require.ErrorIs(t, err, syscall.ENETUNREACH)
	assert.Less(t, time.Since(began), budget+500*time.Millisecond)
	assert.Less(t, cpuTime(t)-busy, 300*time.Millisecond)
}

func skipOutside(t *testing.T) {
	t.Helper()
	if os.Getenv(insideNetwork) == "" {
		t.Skip("runs inside TestI3")
	}
}

func tokenByDefault(t *testing.T) (string, error) {
	t.Helper()
	source, err := imds.New()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), budget)
	defer cancel()
	return source.Token(ctx)
}

// addLoopback brings the loopback of this network namespace up with an address.
func addLoopback(t *testing.T, address string) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if !assert.NoError(t, err) {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	assert.NoError(t, err)
	lo.SetUint16(unix.IFF_UP)
	assert.NoError(t, unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo))
	assert.NoError(t, lo.SetInet4Addr(net.ParseIP(address).To4()))
	assert.NoError(t, unix.IoctlIfreq(fd, unix.SIOCSIFADDR, lo))
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
