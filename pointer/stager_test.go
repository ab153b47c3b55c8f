package pointer

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cloudInit is a pointer file as the other writer leaves it.
const cloudInit = `{"version":"202604.01.5", "scripts_version":"202604.01.7"}`

// staged is cloudInit after the pointer of hotfixes() was staged.
const staged = `{"version":"202604.01.5", "scripts_version":"202604.01.7",` + ours + `}`

// patchPointer returns a pointer with one entry of this patch.
func patchPointer(patch int) Pointer {
	return Pointer{Hotfixes: map[string]string{"202604.01": fmt.Sprintf("202604.01.%d", patch)}}
}

func newTestStager(t *testing.T, path string, opts ...StagerOption) *Stager {
	t.Helper()
	s, err := NewStager(path, opts...)
	require.NoError(t, err)
	return s
}

// newFile writes a file of that text, in a directory of its own.
func newFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hotfix.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func requireText(t *testing.T, want, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(b))
}

// requireAlone fails if the directory of path has anything else than path and these.
func requireAlone(t *testing.T, path string, others ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.ElementsMatch(t, append(others, filepath.Base(path)), names)
}

// needPOSIX skips a test of permissions and symlinks where they are another thing.
func needPOSIX(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no POSIX permissions")
	}
}

func stage(t *testing.T, path string) {
	t.Helper()
	changed, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.NoError(t, err)
	require.True(t, changed)
}

func TestNewStagerRefuses(t *testing.T) {
	t.Parallel()
	_, err := NewStager("")
	require.Error(t, err)
	_, err = NewStager(DefaultPath, WithLogger(nil))
	require.Error(t, err)
	s, err := NewStager(DefaultPath)
	require.NoError(t, err)
	assert.Equal(t, DefaultPath, s.Path())
}

func TestStageNewFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hotfix.json")
	stage(t, path)
	requireText(t, "{"+ours+"}\n", path)
	requireAlone(t, path)
}

func TestStageReplacesMergeAdds(t *testing.T) {
	t.Parallel()
	const file = `{"hotfixes":{"202604.01":"202604.01.3","202605.01":"202605.01.1","bad":"entry"},"version":"x"}`
	path := newFile(t, file)
	changed, err := newTestStager(t, path).Merge(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.NoError(t, err)
	assert.True(t, changed)
	requireText(t, `{"hotfixes":{"202604.01":"202604.01.3","202605.01":"202605.01.1"},"version":"x"}`, path)

	stage(t, path)
	requireText(t, `{`+ours+`,"version":"x"}`, path)
}

func TestStageNothingNew(t *testing.T) {
	t.Parallel()
	path := newFile(t, staged)
	before, err := os.Stat(path)
	require.NoError(t, err)
	s := newTestStager(t, path)
	for _, stage := range []func(context.Context, Pointer) (bool, error){s.Stage, s.Merge} {
		for _, p := range []Pointer{{Hotfixes: hotfixes()}, {}, {Version: "202604.01.9"}} {
			changed, err := stage(t.Context(), p)
			require.NoError(t, err)
			assert.False(t, changed)
		}
	}
	after, err := os.Stat(path)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	assert.Equal(t, before.ModTime(), after.ModTime())
	requireText(t, staged, path)
}

func TestP4EmptyLeavesTheFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"version":"202604.01.9"}`, `{}`, `{"hotfixes":{}}`, ``} {
		p, _, err := Parse([]byte(text))
		require.NoError(t, err)
		path := newFile(t, staged)
		changed, err := newTestStager(t, path).Stage(t.Context(), p)
		require.NoError(t, err)
		assert.False(t, changed)
		requireText(t, staged, path)
		requireAlone(t, path)
	}
}

func TestStageRefusesWhatParseLeavesOut(t *testing.T) {
	t.Parallel()
	path := newFile(t, staged)
	changed, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: map[string]string{"202604.01": "202604.02.1"}})
	require.ErrorIs(t, err, ErrMalformed)
	assert.False(t, changed)
	requireText(t, staged, path)
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{cloudInit: true, staged: false} {
		path := newFile(t, file)
		s := newTestStager(t, path, WithDryRun())
		s.disk.before = func(op, _ string) error {
			assert.Equal(t, "read", op)
			return nil
		}
		changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
		require.NoError(t, err)
		assert.Equal(t, want, changed)
		requireText(t, file, path)
		requireAlone(t, path)
	}
	_, err := newTestStager(t, filepath.Join(t.TempDir(), "missing", "x"), WithDryRun()).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestS1ForeignMembers(t *testing.T) {
	t.Parallel()
	const members = ` "text" :"a&b<c>\u2028\/é\ud800", "n":9007199254740993, "e":1.0E+02,"nested":{"hotfixes":[1 , {"Z":0,"A":0}]},` +
		"\r\n\t\"invalid\":\"\xff\", \"n\":2 "
	path := newFile(t, "{"+members+`,"hotfixes":{"202604.01":"202604.01.0"} , "last" : null }`+"\n\n")
	stage(t, path)
	requireText(t, "{"+members+`,`+ours+` , "last" : null }`+"\n\n", path)
	requireAlone(t, path)
}

func TestS2NothingInTheFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "blank": " \n", "byte order mark": "\ufeff"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newFile(t, text)
			stage(t, path)
			requireText(t, "{"+ours+"}\n", path)
			requireAlone(t, path)
		})
	}
}

func TestS2CorruptFileIsKept(t *testing.T) {
	t.Parallel()
	needPOSIX(t)
	for name, text := range map[string]string{
		"NUL-filled": strings.Repeat("\x00", 4096), "truncated": cloudInit[:20], "trailing data": cloudInit + "}",
		"array": "[]", "null": "null", "nesting": strings.Repeat("[", 20000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newFile(t, text)
			require.NoError(t, os.Chmod(path, 0o600))
			var log bytes.Buffer
			s := newTestStager(t, path, WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			changed, err := s.Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
			require.NoError(t, err)
			assert.True(t, changed)
			requireText(t, "{"+ours+"}\n", path)
			requireText(t, text, path+".corrupt")
			requireAlone(t, path, "hotfix.json.corrupt")
			assert.Contains(t, log.String(), "does not parse")
			for _, name := range []string{path, path + ".corrupt"} {
				info, err := os.Stat(name)
				require.NoError(t, err)
				assert.Equal(t, fs.FileMode(0o600), info.Mode())
			}
		})
	}
}

func TestS2Directory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hotfix.json")
	require.NoError(t, os.Mkdir(path, 0o755))
	for _, name := range []string{path, path + "/", filepath.Dir(path) + "/..", "."} {
		_, err := newTestStager(t, name).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
		require.ErrorContains(t, err, "not a regular file", name)
	}
	requireAlone(t, path)
}

func TestS2Unreadable(t *testing.T) {
	t.Parallel()
	needPOSIX(t)
	path := newFile(t, staged)
	require.NoError(t, os.Chmod(path, 0))
	if _, err := os.ReadFile(path); err == nil {
		t.Skip("this user can read every file")
	}
	changed, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.ErrorIs(t, err, fs.ErrPermission)
	assert.False(t, changed)
	require.NoError(t, os.Chmod(path, 0o644))
	requireText(t, staged, path)
	requireAlone(t, path)
}

func TestS3MissingDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	changed, err := newTestStager(t, filepath.Join(dir, "missing", "hotfix.json")).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.False(t, changed)
	assert.NoDirExists(t, filepath.Join(dir, "missing"))
}

func TestS3DirectoryNobodyMayWrite(t *testing.T) {
	t.Parallel()
	needPOSIX(t)
	path := newFile(t, cloudInit)
	dir := filepath.Dir(path)
	require.NoError(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if f, err := os.CreateTemp(dir, ""); err == nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		t.Skip("this user can write everywhere")
	}
	_, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.ErrorIs(t, err, fs.ErrPermission)
	requireText(t, cloudInit, path)
	requireAlone(t, path)
}

func TestS4TempDirElsewhere(t *testing.T) {
	path := newFile(t, cloudInit)
	t.Setenv("TMPDIR", "/nonexistent")
	stage(t, path)
	requireText(t, staged, path)
}

func TestS5Symlinks(t *testing.T) {
	t.Parallel()
	needPOSIX(t)
	for name, tt := range map[string]struct{ link, target string }{
		"relative":              {"real/file.json", "real/file.json"},
		"dangling":              {"real/none.json", "real/none.json"},
		"two links":             {"second", "real/file.json"},
		"through a linked dir":  {"elsewhere/../file.json", "file.json"},
		"dangling, linked dir":  {"elsewhere/../none.json", "none.json"},
		"dangling in two links": {"dangling", "real/none.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir := filepath.Join(root, "containers")
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "real"), 0o755))
			require.NoError(t, os.MkdirAll(filepath.Join(root, "b", "c"), 0o755))
			for _, path := range []string{filepath.Join(dir, "real", "file.json"), filepath.Join(root, "b", "file.json")} {
				require.NoError(t, os.WriteFile(path, []byte("{}\n"), 0o644))
			}
			link := filepath.Join(dir, "hotfix.json")
			for _, l := range [][2]string{{tt.link, link}, {"real/file.json", filepath.Join(dir, "second")},
				{"real/none.json", filepath.Join(dir, "dangling")}, {filepath.Join(root, "b", "c"), filepath.Join(dir, "elsewhere")}} {
				require.NoError(t, os.Symlink(l[0], l[1]))
			}
			stage(t, link)

			target := filepath.Join(dir, tt.target)
			if strings.HasPrefix(tt.link, "elsewhere") {
				target = filepath.Join(root, "b", tt.target)
			}
			requireText(t, "{"+ours+"}\n", target)
			got, err := os.Readlink(link)
			require.NoError(t, err)
			assert.Equal(t, tt.link, got)
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Len(t, entries, 5)
		})
	}
}

func TestS5SymlinkLoop(t *testing.T) {
	t.Parallel()
	needPOSIX(t)
	path := filepath.Join(t.TempDir(), "hotfix.json")
	require.NoError(t, os.Symlink("hotfix.json", path))
	_, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.Error(t, err)
	requireAlone(t, path)
}

func TestS5Modes(t *testing.T) {
	t.Parallel()
	needPOSIX(t)
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o640, 0o666, 0o755, 0o444} {
		path := newFile(t, cloudInit)
		require.NoError(t, os.Chmod(path, mode))
		stage(t, path)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode())
	}
}

func TestS6PlantedNames(t *testing.T) {
	t.Parallel()
	needPOSIX(t)
	path := newFile(t, cloudInit)
	dir := filepath.Dir(path)
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("precious"), 0o644))
	stale := filepath.Base(tempName(path))
	require.NoError(t, os.WriteFile(filepath.Join(dir, stale), []byte("half a fi"), 0o600))
	planted := []string{".hotfix.json.tmp", "hotfix.json.tmp", "hotfix.json~", "hotfix.json.corrupt",
		".hotfix.json.1.tmp", filepath.Base(tempName(path)), "tmp", ".tmp", ".other.json." + stale[len(".hotfix.json."):]}
	for _, name := range planted {
		require.NoError(t, os.Symlink(victim, filepath.Join(dir, name)))
	}
	stage(t, path)
	requireText(t, staged, path)
	requireText(t, "precious", victim)
	requireAlone(t, path, planted...)

	// The name that the corrupt file is kept under is one that can be guessed.
	require.NoError(t, os.WriteFile(path, []byte("corrupt"), 0o644))
	stage(t, path)
	requireText(t, "precious", victim)
	info, err := os.Lstat(path + ".corrupt")
	require.NoError(t, err)
	assert.True(t, info.Mode().IsRegular())
}

func TestS6TempNameIsTaken(t *testing.T) {
	t.Parallel()
	needPOSIX(t)
	victim := newFile(t, "precious")
	link := victim + ".link"
	require.NoError(t, os.Symlink(victim, link))
	for _, name := range []string{victim, link} {
		require.ErrorIs(t, disk{}.create(name, []byte("new"), nil), fs.ErrExist)
		requireText(t, "precious", victim)
	}
}

func TestIsTemp(t *testing.T) {
	t.Parallel()
	name := filepath.Base(tempName("/a/hotfix.json"))
	assert.True(t, isTemp(name, "/b/hotfix.json"))
	for _, other := range []string{"hotfix.json", name[1:], name + "x", strings.ToLower(name), strings.Replace(name, ".tmp", "A.tmp", 1),
		filepath.Base(tempName("/a/other.json")), ""} {
		assert.False(t, isTemp(other, "/a/hotfix.json"), other)
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"before": `{"a":"` + strings.Repeat("x", MaxFileSize) + `"}`,
		"after":  `{"a":"` + strings.Repeat("x", MaxFileSize-20) + `"}`,
	} {
		path := newFile(t, text)
		_, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
		require.ErrorContains(t, err, "larger than", name)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, int64(len(text)), info.Size(), name)
		requireAlone(t, path)
	}
}

// With one member more the next run could not read it.
func TestFullObject(t *testing.T) {
	t.Parallel()
	text := "{" + strings.Repeat(`"":0,`, maxMembers-1) + `"":0}`
	path := newFile(t, text)
	_, err := newTestStager(t, path).Stage(t.Context(), Pointer{Hotfixes: hotfixes()})
	require.ErrorContains(t, err, "more than 65536 members")
	requireText(t, text, path)
	requireAlone(t, path)
}

func TestCanceledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{cloudInit, staged} {
		path := newFile(t, text)
		_, err := newTestStager(t, path).Stage(ctx, Pointer{Hotfixes: hotfixes()})
		require.ErrorIs(t, err, context.Canceled)
		requireText(t, text, path)
		requireAlone(t, path)
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	path := newFile(t, staged)
	p, warnings, err := ReadFile(path)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, Pointer{Version: "202604.01.5", Hotfixes: hotfixes()}, p)

	_, _, err = ReadFile(path + ".none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, _, err = ReadFile(newFile(t, "{"))
	require.ErrorIs(t, err, ErrMalformed)
	_, _, err = ReadFile(filepath.Dir(path))
	require.Error(t, err)
}
