package filetoken_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/source/filetoken"
)

// file returns the path of a new file with this text.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t *testing.T, path string) (string, error) {
	t.Helper()
	s, err := filetoken.New(path)
	require.NoError(t, err)
	return s.Token(t.Context())
}

func TestToken(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("A", 64<<10)
	for name, tt := range map[string]struct{ text, want string }{
		"as it is":             {"MIIK+/==", "MIIK+/=="},
		"I6 trailing newline":  {"MIIK\n", "MIIK"},
		"trailing CRLF":        {"MIIK\r\n", "MIIK"},
		"longest, and newline": {longest + "\r\n", longest},
	} {
		got, err := read(t, file(t, tt.text))
		require.NoError(t, err, name)
		assert.Equal(t, tt.want, got, name)
	}
}

func TestTokenRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, says string }{
		"empty":          {"", "token is empty"},
		"I6 newline":     {"SECRET\nSECRET", "byte 7 of 13"},
		"blank":          {"SECRET ", "byte 7 of 7"},
		"NUL":            {"SECRET\x00", "byte 7 of 7"},
		"too long":       {"SECRET" + strings.Repeat("A", 64<<10), "65542 bytes, at most 65536"},
		"much too large": {"SECRET" + strings.Repeat("A", 1<<20), "larger than"},
	} {
		path := file(t, tt.text)
		got, err := read(t, path)
		require.ErrorContains(t, err, tt.says, name)
		assert.ErrorContains(t, err, path, name)
		assert.NotContains(t, err.Error(), "SECRET", name)
		assert.Empty(t, got, name)
	}
}

func TestTokenWithoutFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "absent")
	_, err := read(t, path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, path)

	_, err = read(t, t.TempDir())
	require.ErrorContains(t, err, "neither a regular file nor a pipe")

	_, err = filetoken.New("")
	assert.Error(t, err)
}

func TestTokenAfterTheContext(t *testing.T) {
	t.Parallel()
	s, err := filetoken.New(file(t, "MIIK"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Token(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

// A projected token is a link to a link, which the platform swaps for a new one.
func TestTokenIsReadAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, version := range []string{"v1", "v2"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, version, "token"), []byte("token-"+version), 0o600))
	}
	swap := func(version string) {
		next := filepath.Join(dir, "..next")
		if err := os.Symlink(version, next); err != nil {
			t.Skipf("no symbolic links: %v", err)
		}
		require.NoError(t, os.Rename(next, filepath.Join(dir, "..data")))
	}
	swap("v1")
	require.NoError(t, os.Symlink(filepath.Join("..data", "token"), filepath.Join(dir, "token")))
	s, err := filetoken.New(filepath.Join(dir, "token"))
	require.NoError(t, err)

	first, err := s.Token(t.Context())
	require.NoError(t, err)
	swap("v2")
	second, err := s.Token(t.Context())
	require.NoError(t, err)

	assert.Equal(t, "token-v1", first)
	assert.Equal(t, "token-v2", second)
}
