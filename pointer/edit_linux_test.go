package pointer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const (
	beforeWriter = `{"old":1}`
	writers      = `{"written":1}`
	writersOurs  = `{"written":1,` + ours + `}`
)

// hook is a function for disk.before.
type hook func(op, name string) error

// at calls f before the n-th operation of that name, counted from 1.
func at(operation string, n int, f func()) hook {
	return func(op, _ string) error {
		if op == operation {
			if n--; n == 0 {
				f()
			}
		}
		return nil
	}
}

// both calls two hooks.
func both(a, b hook) hook {
	return func(op, name string) error { return errors.Join(a(op, name), b(op, name)) }
}

// rewrite is what the other writer does, in one go.
func rewrite(t *testing.T, path, text string) func() {
	return func() { assert.NoError(t, os.WriteFile(path, []byte(text), 0o644)) }
}

// rewriteLate opens the file with these flags now, and truncates and writes it a little later.
func rewriteLate(t *testing.T, path, text string, flags int) func() {
	return func() {
		f, err := os.OpenFile(path, flags, 0)
		if !assert.NoError(t, err) {
			return
		}
		written := make(chan struct{})
		t.Cleanup(func() { <-written })
		time.AfterFunc(50*time.Millisecond, func() {
			defer close(written)
			assert.NoError(t, f.Truncate(0))
			_, err := f.WriteString(text)
			assert.NoError(t, err)
			assert.NoError(t, f.Close())
		})
	}
}

func TestWriterComesBetween(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(t *testing.T, path string) hook{
		"before the second read": func(t *testing.T, path string) hook {
			return at("read", 2, rewrite(t, path, writers))
		},
		"while ours is written": func(t *testing.T, path string) hook {
			return at("sync", 1, rewrite(t, path, writers))
		},
		"after the second read": func(t *testing.T, path string) hook {
			return at("exchange", 1, rewrite(t, path, writers))
		},
		"truncates before the first read": func(t *testing.T, path string) hook {
			return at("read", 1, rewriteLate(t, path, writers, os.O_WRONLY|os.O_TRUNC))
		},
		"truncates after the second read": func(t *testing.T, path string) hook {
			return at("exchange", 1, rewriteLate(t, path, writers, os.O_WRONLY|os.O_TRUNC))
		},
		"opens after the second read and truncates later": func(t *testing.T, path string) hook {
			return at("exchange", 1, rewriteLate(t, path, writers, os.O_WRONLY))
		},
		"with a rename": func(t *testing.T, path string) hook {
			return at("exchange", 1, func() {
				rewrite(t, path+".new", writers)()
				assert.NoError(t, os.Rename(path+".new", path))
			})
		},
		"twice": func(t *testing.T, path string) hook {
			return both(at("exchange", 1, rewrite(t, path, `{"written":0}`)), at("exchange", 3, rewrite(t, path, writers)))
		},
		"again while ours stands there for a blink": func(t *testing.T, path string) hook {
			return both(at("exchange", 1, rewrite(t, path, `{"written":0}`)), at("exchange", 2, rewrite(t, path, writers)))
		},
		"again while ours stands there, and is slow": func(t *testing.T, path string) hook {
			return both(at("exchange", 1, rewrite(t, path, `{"written":0}`)),
				at("exchange", 2, rewriteLate(t, path, writers, os.O_WRONLY|os.O_TRUNC)))
		},
		"again while ours stands there, and truncates later": func(t *testing.T, path string) hook {
			return both(at("exchange", 1, rewrite(t, path, `{"written":0}`)),
				at("exchange", 2, rewriteLate(t, path, writers, os.O_WRONLY)))
		},
		"and another opens ours and writes nothing": func(t *testing.T, path string) hook {
			return both(at("exchange", 1, rewrite(t, path, writers)), at("exchange", 2, func() {
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				assert.NoError(t, err)
				t.Cleanup(func() { _ = f.Close() })
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newFile(t, beforeWriter)
			s := newTestStager(t, path)
			s.disk.before = before(t, path)
			changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
			require.NoError(t, err)
			assert.True(t, changed)
			requireText(t, writersOurs, path)
			requireAlone(t, path)
		})
	}
}

func TestWriterCreatesTheFile(t *testing.T) {
	t.Parallel()
	path := newFile(t, "")
	require.NoError(t, os.Remove(path))
	s := newTestStager(t, path)
	s.disk.before = at("place", 1, rewrite(t, path, writers))
	changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.NoError(t, err)
	assert.True(t, changed)
	requireText(t, writersOurs, path)
	requireAlone(t, path)
}

func TestWriterRemovesTheFile(t *testing.T) {
	t.Parallel()
	path := newFile(t, beforeWriter)
	s := newTestStager(t, path)
	s.disk.before = at("exchange", 1, func() { assert.NoError(t, os.Remove(path)) })
	changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.NoError(t, err)
	assert.True(t, changed)
	requireText(t, "{"+ours+"}\n", path)
	requireAlone(t, path)
}

func TestWriterNeverStops(t *testing.T) {
	t.Parallel()
	path := newFile(t, beforeWriter)
	s := newTestStager(t, path)
	attempts := 0
	s.disk.before = func(op, _ string) error {
		if op == "sync" {
			attempts++
			rewrite(t, path, fmt.Sprintf(`{"attempt":%d}`, attempts))()
		}
		return nil
	}
	changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.ErrorIs(t, err, errChanged)
	assert.False(t, changed)
	assert.Equal(t, maxAttempts, attempts)
	requireText(t, fmt.Sprintf(`{"attempt":%d}`, attempts), path)
	requireAlone(t, path)
}

func TestFileThatSomebodyKeepsOpenForWriting(t *testing.T) {
	t.Parallel()
	for _, text := range []string{beforeWriter, `{"torn`, ""} {
		path := newFile(t, text)
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
		require.ErrorIs(t, err, errChanged)
		requireText(t, text, path)
		require.NoError(t, f.Close())
		stage(t, path)
	}
}

func TestReaderThatKeepsTheFileOpen(t *testing.T) {
	t.Parallel()
	path := newFile(t, beforeWriter)
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	stage(t, path)
	requireText(t, `{"old":1,`+ours+`}`, path)
}

func TestWithoutExchange(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP} {
		for text, want := range map[string]string{beforeWriter: `{"old":1,` + ours + `}`, "": "{" + ours + "}\n"} {
			path := newFile(t, text)
			if text == "" {
				require.NoError(t, os.Remove(path))
			}
			s := newTestStager(t, path)
			s.disk.before = func(op, _ string) error {
				if op == "exchange" || op == "place" {
					return errno
				}
				return nil
			}
			changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
			require.NoError(t, err)
			assert.True(t, changed)
			requireText(t, want, path)
			requireAlone(t, path)
		}
	}
}

func TestWriterComesBetweenWithoutExchange(t *testing.T) {
	t.Parallel()
	path := newFile(t, beforeWriter)
	s := newTestStager(t, path)
	s.disk.before = both(failing("exchange", unix.EINVAL), at("read", 2, rewrite(t, path, writers)))
	changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.NoError(t, err)
	assert.True(t, changed)
	requireText(t, writersOurs, path)
}

func TestLockOfAnother(t *testing.T) {
	t.Parallel()
	path := newFile(t, cloudInit)
	dir, err := os.Open(filepath.Dir(path))
	require.NoError(t, err)
	defer dir.Close()
	require.NoError(t, lock(dir))

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, cancel)
	_, err = newTestStager(t, path).Stage(ctx, Pointer{Hotfixes: hotfixes()})
	require.ErrorIs(t, err, context.Canceled)
	requireText(t, cloudInit, path)

	// Whoever holds it may hang in the kernel; that is no reason for a node to go without its hotfix.
	stage(t, path)
	requireText(t, staged, path)
	requireAlone(t, path)
}

func TestCanceledAtEveryOperation(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		path := newFile(t, beforeWriter)
		ctx, cancel := context.WithCancel(t.Context())
		s := newTestStager(t, path)
		count := 0
		s.disk.before = func(string, string) error {
			if count++; count == n {
				cancel()
			}
			return nil
		}
		changed, err := s.Stage(ctx, Pointer{Hotfixes: hotfixes()})
		cancel()
		requireAlone(t, path)
		if changed {
			// Too late: the file had been exchanged.
			require.NoError(t, err)
			requireText(t, `{"old":1,`+ours+`}`, path)
			require.Greater(t, n, 8)
			return
		}
		require.ErrorIs(t, err, context.Canceled)
		requireText(t, beforeWriter, path)
	}
}

// A file that was whole in between is torn anew, and waited for anew.
func TestPatienceStartsAgain(t *testing.T) {
	t.Parallel()
	e := &edit{Stager: newTestStager(t, DefaultPath), target: newFile(t, cloudInit), tornSince: time.Now().Add(-time.Hour)}
	_, err := e.settled(t.Context())
	require.NoError(t, err)
	rewrite(t, e.target, cloudInit[:9])()
	began := time.Now()
	old, err := e.settled(t.Context())
	require.NoError(t, err)
	require.Error(t, old.fault)
	assert.GreaterOrEqual(t, time.Since(began), settleTime)
}

func TestCanceledWhileTheFileIsTorn(t *testing.T) {
	t.Parallel()
	path := newFile(t, beforeWriter[:4])
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := newTestStager(t, path).Stage(ctx, Pointer{Hotfixes: hotfixes()})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	requireText(t, beforeWriter[:4], path)
	requireAlone(t, path)
}
