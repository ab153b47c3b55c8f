package pointer

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplaceFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "corefile")

	changed, err := ReplaceFile(t.Context(), path, []byte("one"))
	require.NoError(t, err)
	assert.True(t, changed)
	before, err := os.Stat(path)
	require.NoError(t, err)

	changed, err = ReplaceFile(t.Context(), path, []byte("one"))
	require.NoError(t, err)
	assert.False(t, changed)
	same, err := os.Stat(path)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, same), "there was nothing to change")

	changed, err = ReplaceFile(t.Context(), path, nil)
	require.NoError(t, err)
	assert.True(t, changed)
	requireText(t, "", path)
	after, err := os.Stat(path)
	require.NoError(t, err)
	assert.False(t, os.SameFile(before, after), "it was written in place")
	requireAlone(t, path)
}

func TestReplaceFileRefuses(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	folder := t.TempDir()
	for name, tt := range map[string]struct {
		ctx  context.Context
		path string
		size int
		want error // nil for any
	}{
		"no path":       {t.Context(), "", 1, nil},
		"no folder":     {t.Context(), filepath.Join(folder, "missing", "file"), 1, fs.ErrNotExist},
		"a folder":      {t.Context(), folder, 1, nil},
		"too large":     {t.Context(), newFile(t, "old"), MaxFileSize + 1, nil},
		"cancelled":     {cancelled, newFile(t, "old"), 1, context.Canceled},
		"old too large": {t.Context(), newFile(t, string(make([]byte, MaxFileSize+1))), 1, nil},
	} {
		changed, err := ReplaceFile(tt.ctx, tt.path, make([]byte, tt.size))

		require.Error(t, err, name)
		assert.False(t, changed, name)
		if tt.want != nil {
			require.ErrorIs(t, err, tt.want, name)
		}
		if info, err := os.Stat(tt.path); err == nil && info.Mode().IsRegular() {
			assert.NotEqual(t, int64(tt.size), info.Size(), name)
			requireAlone(t, tt.path)
		}
	}
}
