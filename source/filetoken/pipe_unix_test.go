//go:build unix

package filetoken_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/source/filetoken"
)

func TestTokenFromPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	s, err := filetoken.New(path)
	require.NoError(t, err)

	_, err = s.Token(t.Context())
	require.ErrorContains(t, err, "token is empty", "nobody writes")

	w, err := os.OpenFile(path, os.O_RDWR, 0) // both, so that this open does not wait for the reader
	require.NoError(t, err)
	defer w.Close()
	_, err = w.WriteString("SECRET")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = s.Token(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the writer is not done")
	assert.NotContains(t, err.Error(), "SECRET")
}
