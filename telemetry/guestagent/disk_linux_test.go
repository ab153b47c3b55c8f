package guestagent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// insideMounts tells the test binary that it runs in a mount namespace of its own.
const insideMounts = "BOOTPOINTER_TEST_MOUNTS"

// TestR5 runs the tests named TestInside… where they may mount what they like and leave nothing behind.
func TestR5(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInside", "-test.v")
	cmd.Env = append(os.Environ(), insideMounts+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Skipf("no mount namespaces for this user: %v", err)
	}
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "--- PASS: TestInsideFullDisk")
	assert.Contains(t, string(out), "--- PASS: TestInsideReadOnly")
}

func TestInsideFullDisk(t *testing.T) {
	dir := mountTmpfs(t, 0, "size=4k")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 4096), 0o600))
	require.ErrorIs(t, newWriter(dir).Write(t.Context(), event), unix.ENOSPC)
	assert.Equal(t, []string{"filler"}, names(t, dir))

	dir = mountTmpfs(t, 0, "nr_inodes=2") // the root and one more
	require.NoError(t, os.WriteFile(filepath.Join(dir, "filler"), nil, 0o600))
	require.ErrorIs(t, newWriter(dir).Write(t.Context(), event), unix.ENOSPC)
	assert.Equal(t, []string{"filler"}, names(t, dir))
}

func TestInsideReadOnly(t *testing.T) {
	dir := mountTmpfs(t, unix.MS_RDONLY, "")
	require.ErrorIs(t, newWriter(dir).Write(t.Context(), event), unix.EROFS)
	require.ErrorIs(t, newWriter(filepath.Join(dir, "events")).Write(t.Context(), event), unix.EROFS)
	assert.Empty(t, names(t, dir))
}

func TestModes(t *testing.T) { // not parallel: it changes the umask of the process
	old := unix.Umask(0o022)
	defer unix.Umask(old)
	dir := filepath.Join(t.TempDir(), "new", "events")
	require.NoError(t, newWriter(dir).Write(t.Context(), event))
	unix.Umask(0o077)
	require.NoError(t, newWriter(dir).Write(t.Context(), event))
	assertMode(t, 0o755|os.ModeDir, dir)
	for _, name := range names(t, dir) {
		assertMode(t, 0o644, filepath.Join(dir, name))
	}
}

func assertMode(t *testing.T, want os.FileMode, path string) {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	assert.Equal(t, want, info.Mode(), path)
}

func mountTmpfs(t *testing.T, flags uintptr, data string) string {
	t.Helper()
	if os.Getenv(insideMounts) == "" {
		t.Skip("runs inside TestR5")
	}
	dir := t.TempDir()
	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", flags, data))
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(dir, 0)) })
	return dir
}
