package pointer

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// scenario is a state of the disk in which one operation after the other fails.
type scenario struct {
	name string
	// file is what was in the pointer file, empty for no file.
	file string
	want string
	// hook is what happens besides.
	hook func(path string) hook
	// operations is what staging does when nothing fails.
	operations []string
}

var (
	create = []string{"create", "write", "attributes", "sync", "close"}
	none   = func(string) hook { return func(string, string) error { return nil } }
)

func scenarios() []scenario {
	return []scenario{
		{"new file", "", "{" + ours + "}\n", none,
			slices.Concat([]string{"lock", "read"}, create, []string{"read", "place", "syncdir", "remove"})},
		{"file", beforeWriter, `{"old":1,` + ours + `}`, none,
			slices.Concat([]string{"lock", "read"}, create, []string{"read", "exchange", "check", "syncdir", "remove"})},
		{"no exchange", beforeWriter, `{"old":1,` + ours + `}`, func(string) hook { return failing("exchange", unix.EINVAL) },
			slices.Concat([]string{"lock", "read"}, create, []string{"read", "exchange", "rename", "syncdir", "remove"})},
		{"writer", beforeWriter, writersOurs, func(path string) hook {
			return at("exchange", 1, func() { _ = os.WriteFile(path, []byte(writers), 0o644) })
		}, slices.Concat([]string{"lock", "read"}, create, []string{"read", "exchange", "check", "exchange", "check", "remove"},
			[]string{"read"}, create, []string{"read", "exchange", "check", "syncdir", "remove"})},
	}
}

func failing(operation string, errno syscall.Errno) hook {
	return func(op, _ string) error {
		if op == operation {
			return errno
		}
		return nil
	}
}

func (sc scenario) setUp(t *testing.T, dir string) string {
	path := filepath.Join(dir, "hotfix.json")
	require.NoError(t, os.RemoveAll(path))
	if sc.file != "" {
		require.NoError(t, os.WriteFile(path, []byte(sc.file), 0o644))
	}
	return path
}

// Not parallel: a process that another test forks has our files open for a moment, and staging would try again.
func TestOrderOfOperations(t *testing.T) {
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			path := sc.setUp(t, t.TempDir())
			var got []string
			s := newTestStager(t, path)
			s.disk.before = both(sc.hook(path), func(op, _ string) error {
				got = append(got, op)
				return nil
			})
			_, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
			require.NoError(t, err)
			assert.Equal(t, sc.operations, got)
			requireText(t, sc.want, path)
		})
	}
}

// failAt stages while the n-th operation fails, checks that the file is whole and what was reported is true, and
// that the next run succeeds and leaves no litter.
func (sc scenario) failAt(t *testing.T, path string, n int, errno syscall.Errno) {
	failed := ""
	s := newTestStager(t, path)
	s.disk.before = both(sc.hook(path), func(op, _ string) error {
		if n--; n != 0 {
			return nil
		}
		failed = op
		return errno
	})
	changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	b, readErr := os.ReadFile(path)
	switch {
	case err == nil:
		require.True(t, changed)
		require.Equal(t, sc.want, string(b))
		require.Contains(t, []string{"lock", "remove", "exchange"}, failed, "an error was swallowed")
	case changed:
		require.Equal(t, "syncdir", failed)
		require.Contains(t, []string{"new file", "no exchange"}, sc.name, "an exchange is taken back")
		require.Equal(t, sc.want, string(b))
	case sc.file == "":
		require.ErrorIs(t, readErr, os.ErrNotExist, failed)
	default:
		require.Contains(t, []string{sc.file, writers}, string(b), failed)
	}
	if failed != "remove" {
		requireOnly(t, path, readErr == nil)
	}

	_, err = newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.NoError(t, err)
	requireOnly(t, path, true)
}

func requireOnly(t *testing.T, path string, exists bool) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	if exists {
		require.Len(t, entries, 1)
	} else {
		require.Empty(t, entries)
	}
}

func TestEachOperationFails(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for n := range sc.operations {
				for _, errno := range []syscall.Errno{unix.EIO, unix.ENOSPC, unix.EACCES} {
					sc.failAt(t, sc.setUp(t, dir), n+1, errno)
				}
			}
		})
	}
}

func TestTortureFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := scenarios()
	n := rounds(t, 300)
	for range n {
		sc := all[rand.IntN(len(all))]
		errno := []syscall.Errno{unix.EIO, unix.ENOSPC, unix.EACCES, unix.EDQUOT, unix.EROFS}[rand.IntN(5)]
		sc.failAt(t, sc.setUp(t, dir), 1+rand.IntN(len(sc.operations)), errno)
	}
	t.Logf("%d operations failed, the file was the old or the new one each time", n)
}

// A corrupt file is in one place or the other, whatever fails.
func TestEachOperationFailsOnACorruptFile(t *testing.T) {
	t.Parallel()
	const corrupt = "corrupt\n"
	for n := 1; ; n++ {
		path := newFile(t, corrupt)
		s := newTestStager(t, path)
		count, failed := 0, ""
		s.disk.before = func(op, _ string) error {
			if op == "read" {
				return nil // how often is a matter of time here
			}
			if count++; count == n {
				failed = op
				return unix.EIO
			}
			return nil
		}
		changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
		b, readErr := os.ReadFile(path)
		require.NoError(t, readErr)
		if changed {
			require.Equal(t, "{"+ours+"}\n", string(b))
			requireText(t, corrupt, path+".corrupt")
		} else {
			require.Error(t, err)
			require.Equal(t, corrupt, string(b))
		}
		if failed == "" {
			return
		}
	}
}

// S6: a name that somebody has planted is never written through.
func TestS6CreateFollowsNoPlantedLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim, name := filepath.Join(dir, "victim"), filepath.Join(dir, "planted")
	require.NoError(t, os.WriteFile(victim, []byte("precious"), 0o644))
	require.NoError(t, os.Symlink(victim, name))

	require.ErrorIs(t, disk{}.create(name, []byte("x"), nil), os.ErrExist)

	requireText(t, "precious", victim)
}

// A stager that hangs with the lock costs others a third of their time at most.
func TestLockLeavesTimeForStaging(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hotfix.json")
	dir, err := os.Open(filepath.Dir(path))
	require.NoError(t, err)
	defer dir.Close()
	require.NoError(t, lock(dir))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	began := time.Now()

	changed, err := newTestStager(t, path).Stage(ctx, Pointer{Hotfixes: hotfixes()})

	require.NoError(t, err)
	require.True(t, changed)
	require.Greater(t, time.Since(began), 500*time.Millisecond)
}
