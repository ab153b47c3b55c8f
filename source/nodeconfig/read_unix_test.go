//go:build unix

package nodeconfig

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fifo returns the path of a new named pipe.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// zeros reads as zero bytes without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestReadFIFO(t *testing.T) {
	t.Parallel()
	config := sample(t, "config-snake.json", encode(newCA(t, "cluster-ca")))

	t.Run("without a writer", func(t *testing.T) {
		t.Parallel()
		_, err := New(WithPath(fifo(t))).Endpoint(t.Context())
		require.ErrorContains(t, err, "is empty")
	})
	t.Run("with a slow writer", func(t *testing.T) {
		t.Parallel()
		path := fifo(t)
		w, err := os.OpenFile(path, os.O_RDWR, 0) // both, so that this open does not wait for the reader
		require.NoError(t, err)
		got := make(chan error, 1)
		go func() {
			_, err := New(WithPath(path)).Endpoint(t.Context())
			got <- err
		}()
		// More than a pipe holds, so that the second write ends when the reader is at work.
		long := append(bytes.Repeat([]byte(" "), 1<<20), config...)
		_, err = w.Write(long[:100])
		require.NoError(t, err)
		time.Sleep(20 * time.Millisecond)
		_, err = w.Write(long[100:])
		require.NoError(t, err)
		assert.Empty(t, got)
		require.NoError(t, w.Close())
		require.NoError(t, <-got)
	})
	t.Run("with a silent writer", func(t *testing.T) {
		t.Parallel()
		path := fifo(t)
		w, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		defer w.Close()
		_, err = w.Write(config[:100])
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err = New(WithPath(path)).Endpoint(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, path)
		assert.Less(t, time.Since(began), 5*time.Second)
	})
	t.Run("without an end", func(t *testing.T) {
		t.Parallel()
		r, w, err := os.Pipe()
		require.NoError(t, err)
		written := make(chan error, 1)
		go func() {
			_, err := io.Copy(w, zeros{})
			written <- err
		}()
		_, err = New(WithPath(fmt.Sprintf("/dev/fd/%d", r.Fd()))).Endpoint(t.Context())
		require.ErrorContains(t, err, "larger than 8388608 bytes")
		require.NoError(t, r.Close())
		require.ErrorIs(t, <-written, syscall.EPIPE)
		require.NoError(t, w.Close())
	})
}

// A shell's <(command) is the path of a pipe.
func TestReadProcessSubstitution(t *testing.T) {
	t.Parallel()
	config := sample(t, "config-snake.json", encode(newCA(t, "cluster-ca")))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	_, err = w.Write(config)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	c, err := New(WithPath(fmt.Sprintf("/dev/fd/%d", r.Fd()))).Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, labHost, c.Host)
}

func TestReadRefused(t *testing.T) {
	t.Parallel()
	for _, device := range []string{"/dev/zero", "/dev/null"} {
		_, err := New(WithPath(device)).Endpoint(t.Context())
		require.ErrorContains(t, err, device+": neither a regular file nor a pipe")
	}
	t.Run("a file in the folder's place", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, []byte("{}"), nil)
		_, err := New(WithPath(filepath.Join(f.path, "config.json")), WithNBCCmdPath(f.path)).Endpoint(t.Context())
		require.ErrorIs(t, err, syscall.ENOTDIR)
	})
	t.Run("a link to nothing is no file", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, nil, nil)
		require.NoError(t, os.Symlink("absent", f.path))
		_, err := f.Endpoint(t.Context())
		require.ErrorIs(t, err, fs.ErrNotExist)
	})
	t.Run("no permission", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() == 0 {
			t.Skip("root reads everything")
		}
		f := onDisk(t, []byte("{}"), []byte("API_SERVER_NAME=a.example"))
		require.NoError(t, os.Chmod(f.path, 0))
		_, err := f.Endpoint(t.Context())
		require.ErrorIs(t, err, fs.ErrPermission)
	})
}
