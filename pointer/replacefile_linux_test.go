package pointer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestReplaceFileKeepsLinkAndMode(t *testing.T) {
	t.Parallel()
	path := newFile(t, "old")
	require.NoError(t, os.Chmod(path, 0o640))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(path, link))

	_, err := ReplaceFile(t.Context(), link, []byte("new"))

	require.NoError(t, err)
	requireText(t, "new", path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode())
	_, err = os.Readlink(link)
	require.NoError(t, err)
}

// Each operation fails in turn: the file is the old or the new one, and no other stays.
func TestReplaceFileFails(t *testing.T) {
	t.Parallel()
	operations := slices.Concat([]string{"lock", "read"}, create, []string{"rename", "syncdir", "remove"})
	for n, failed := range operations {
		path := newFile(t, "old")
		s := newTestStager(t, path)
		var done []string
		s.disk.before = func(op, _ string) error {
			done = append(done, op)
			if len(done) == n+1 {
				return unix.EIO
			}
			return nil
		}

		changed, err := s.replaceFile(t.Context(), []byte("new"))

		assert.Equal(t, operations[:n+1], done[:n+1])
		switch failed {
		case "lock", "remove": // what is guaranteed does not depend on them
			require.NoError(t, err, failed)
		default:
			require.ErrorIs(t, err, unix.EIO, failed)
		}
		want := "old"
		if changed {
			want = "new"
		}
		requireText(t, want, path)
		assert.Equal(t, slices.Contains([]string{"lock", "syncdir", "remove"}, failed), changed, failed)
		requireAlone(t, path)
	}
}
