package pointer

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestS2Irregular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o644))
	socket := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	for _, path := range []string{pipe, socket, "/dev/null"} {
		_, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
		require.Error(t, err, path)
		_, _, err = ReadFile(path)
		require.Error(t, err, path)
	}
	requireAlone(t, pipe, "socket")
}

func TestS5Umask(t *testing.T) { // not parallel: the umask is the process's
	old := unix.Umask(0o077)
	t.Cleanup(func() { unix.Umask(old) })
	path := filepath.Join(t.TempDir(), "hotfix.json")
	stage(t, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, newFileMode, info.Mode())
	require.NoError(t, os.Chmod(path, 0o664))
	require.NoError(t, os.WriteFile(path, []byte(cloudInit), 0o644))
	stage(t, path)
	info, err = os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o664), info.Mode())
}

func TestS5Owner(t *testing.T) {
	t.Parallel()
	path := newFile(t, cloudInit)
	if err := os.Chown(path, 1234, 5678); err != nil {
		t.Skip("this user cannot give files away")
	}
	require.NoError(t, os.Chmod(path, 0o640|os.ModeSetgid))
	stage(t, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	stat := info.Sys().(*syscall.Stat_t)
	assert.Equal(t, []uint32{1234, 5678}, []uint32{stat.Uid, stat.Gid})
	assert.Equal(t, 0o640|os.ModeSetgid, info.Mode())
}

func TestS5ExtendedAttributes(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"security.selinux": "system_u:object_r:usr_t:s0\x00",
		"user.origin":      "cloud-init",
		"user.empty":       "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newFile(t, cloudInit)
			err := unix.Setxattr(path, name, []byte(value), 0)
			if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
				t.Skip("the file system or the user cannot have it:", err)
			}
			require.NoError(t, err)
			stage(t, path)
			buf := make([]byte, 100)
			n, err := unix.Getxattr(path, name, buf)
			require.NoError(t, err)
			assert.Equal(t, value, string(buf[:n]))
		})
	}
}

func TestS6TwentyProcesses(t *testing.T) {
	t.Parallel()
	path := newFile(t, cloudInit)
	want := map[string]string{}
	var cmds []*exec.Cmd
	for i := range 20 {
		base := "2026" + string("0123456789"[i/10]) + string("0123456789"[i%10]) + ".01"
		want[base] = base + ".1"
		cmd := actor("merge", path, base)
		require.NoError(t, cmd.Start())
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		require.NoError(t, cmd.Wait())
	}
	p, _, err := ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, p.Hotfixes)
	requireAlone(t, path)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(b), strings.TrimSuffix(cloudInit, "}")))
}

func TestS6TwentyGoroutines(t *testing.T) {
	t.Parallel()
	path := newFile(t, cloudInit)
	s := newTestStager(t, path)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, err := s.Merge(t.Context(), patchPointer(i))
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	p, _, err := ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, patchPointer(19).Hotfixes, p.Hotfixes)
	requireAlone(t, path)
}

// inMounts runs the test in a process with mounts of its own and reports whether this is that process. Where
// namespaces are not to be had the test is skipped.
func inMounts(t *testing.T) bool {
	t.Helper()
	const variable = "BOOTPOINTER_TEST_MOUNTS"
	if os.Getenv(variable) == t.Name() {
		require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), variable+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
		t.Skip("no mount namespace:", err)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name()+" ")
	return false
}

func mount(t *testing.T, source, target, fstype string, flags uintptr, data string) {
	t.Helper()
	require.NoError(t, unix.Mount(source, target, fstype, flags, data))
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) })
}

func TestS3FullDisk(t *testing.T) {
	t.Parallel()
	if !inMounts(t) {
		return
	}
	for _, size := range []string{"size=64k,nr_inodes=100", "size=64k,nr_inodes=4"} {
		for _, file := range []string{"", cloudInit, "corrupt"} {
			dir := t.TempDir()
			mount(t, "tmpfs", dir, "tmpfs", 0, size)
			path := filepath.Join(dir, "hotfix.json")
			others := []string{"filler"}
			if file != "" {
				require.NoError(t, os.WriteFile(path, []byte(file), 0o644))
			}
			f, err := os.Create(filepath.Join(dir, "filler"))
			require.NoError(t, err)
			for err == nil {
				_, err = f.Write(make([]byte, 4096))
			}
			require.NoError(t, f.Close())
			for n := range 4 {
				name := strings.Repeat("x", n+1)
				if os.WriteFile(filepath.Join(dir, name), nil, 0o600) != nil {
					break
				}
				others = append(others, name)
			}

			changed, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
			require.ErrorIs(t, err, syscall.ENOSPC)
			assert.False(t, changed)
			if file == "" {
				assert.NoFileExists(t, path)
				path = filepath.Join(dir, others[0])
				others = others[1:]
			} else {
				requireText(t, file, path)
			}
			requireAlone(t, path, others...)
		}
	}
}

func TestS3ReadOnlyFileSystem(t *testing.T) {
	t.Parallel()
	if !inMounts(t) {
		return
	}
	dir := t.TempDir()
	mount(t, "tmpfs", dir, "tmpfs", 0, "")
	path := filepath.Join(dir, "hotfix.json")
	for _, file := range []string{cloudInit, "corrupt"} {
		require.NoError(t, os.WriteFile(path, []byte(file), 0o644))
		require.NoError(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		_, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
		require.ErrorIs(t, err, syscall.EROFS)
		requireText(t, file, path)
		requireAlone(t, path)
		require.NoError(t, unix.Mount("", dir, "", unix.MS_REMOUNT, ""))
	}
}

func TestS4BindMountedTarget(t *testing.T) {
	t.Parallel()
	if !inMounts(t) {
		return
	}
	source, path := newFile(t, cloudInit), newFile(t, "{}")
	mount(t, source, path, "", unix.MS_BIND, "")
	_, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.ErrorIs(t, err, syscall.EBUSY)
	requireText(t, cloudInit, path)
	requireText(t, cloudInit, source)
	requireAlone(t, path)
	requireAlone(t, source)
}
