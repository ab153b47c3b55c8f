//go:build e2e

package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDist builds the release twice, in two folders with two environments, and looks at what is in it. It is not parallel:
// compilers beside them would slow down tests that measure time.
func TestDist(t *testing.T) {
	epoch := strings.TrimSpace(output(t, "git", "log", "-1", "--format=%ct"))
	gitDir := strings.TrimSpace(output(t, "git", "rev-parse", "--absolute-git-dir"))
	here, there := copySource(t, "source"), copySource(t, "another folder")
	dist := makeDist(t, here, "0022", "GIT_DIR="+gitDir)
	another := makeDist(t, there, "0077", "SOURCE_DATE_EPOCH="+epoch, "TZ=Asia/Tokyo", "GOAMD64=v3", "LC_ALL=C.UTF-8")

	t.Run("same bytes twice", func(t *testing.T) { assertSameFiles(t, dist, another) })
	t.Run("files", func(t *testing.T) { assertFiles(t, dist) })
	t.Run("checksums", func(t *testing.T) { assertChecksums(t, dist) })
	t.Run("binaries", func(t *testing.T) { assertStatic(t, dist) })
	t.Run("bills of materials", func(t *testing.T) { assertBills(t, dist) })
	t.Run("deb", func(t *testing.T) { assertDeb(t, dist, epoch) })
	t.Run("rpm", func(t *testing.T) { assertRPM(t, dist, epoch) })
	root := installDeb(t, dist)
	t.Run("installed binary", func(t *testing.T) { assertInstalledBinary(t, root) })
	t.Run("man page", func(t *testing.T) { assertManPage(t, root) })
	t.Run("completions", func(t *testing.T) { assertCompletions(t, root) })
	t.Run("unit", func(t *testing.T) { assertUnit(t, root) })
	t.Run("unit's sandbox", func(t *testing.T) { assertSandbox(t, root) })
}

// A version that no hotfix can match is refused before anything is built.
func TestDistRefusesVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "dev", "v1.2.3", "202604.01", "202604.01.01", "202604.01.0-dirty", "202604.01.0\n202604.01.1", "../x"} {
		out, err := exec.Command("../packaging/dist.sh", version).CombinedOutput()
		assert.Error(t, err, "%q", version)
		assert.Contains(t, string(out), "is not YYYYMM.DD.PATCH", "%q", version)
	}
}

// copySource copies the source, as it lies here, to a folder of that name, without the repository.
func copySource(t *testing.T, name string) string {
	t.Helper()
	tree := filepath.Join(t.TempDir(), name)
	for file := range strings.SplitSeq(output(t, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name", ".."), "\x00") {
		if file != "" {
			copyFile(t, filepath.Join("..", file), filepath.Join(tree, file))
		}
	}
	return tree
}

// makeDist makes the release from the source in tree and returns dist/.
func makeDist(t *testing.T, tree, umask string, env ...string) string {
	t.Helper()
	// The environment may be that of "make e2e", with options of its own.
	cmd := exec.Command("sh", "-c", "umask "+umask+" && exec env -u MAKEFLAGS -u SOURCE_DATE_EPOCH \"$@\"", "sh")
	cmd.Args = append(append(cmd.Args, env...), "make", "dist", "VERSION="+currentVersion)
	cmd.Dir = tree
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return filepath.Join(tree, "dist")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return // deleted, and not committed yet
	}
	require.NoError(t, err)
	b, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(t, os.WriteFile(to, b, info.Mode().Perm()))
}

// output runs a program that has to succeed and returns what it prints on stdout.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(installed(t, name), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s %v: %s%s", name, args, &stdout, &stderr)
	return stdout.String()
}

// assertNoComplaint runs a program that has to succeed and to say nothing at all.
func assertNoComplaint(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.Command(installed(t, name), args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Empty(t, string(out))
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func assertSameFiles(t *testing.T, a, b string) {
	require.Equal(t, names(t, a), names(t, b))
	for _, name := range names(t, a) {
		inA, err := os.ReadFile(filepath.Join(a, name))
		require.NoError(t, err)
		inB, err := os.ReadFile(filepath.Join(b, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(inA, inB), "%s is not the same twice", name)
	}
}

func assertFiles(t *testing.T, dist string) {
	assert.ElementsMatch(t, []string{
		"SHA256SUMS",
		"check-hotfix_202604.01.0_linux_amd64", "check-hotfix_202604.01.0_linux_amd64.cdx.json",
		"check-hotfix_202604.01.0_linux_arm64", "check-hotfix_202604.01.0_linux_arm64.cdx.json",
		"check-hotfix_202604.01.0-1_amd64.deb", "check-hotfix_202604.01.0-1_arm64.deb",
		"check-hotfix-202604.01.0-1.x86_64.rpm", "check-hotfix-202604.01.0-1.aarch64.rpm",
	}, names(t, dist))
}

func assertChecksums(t *testing.T, dist string) {
	cmd := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	cmd.Dir = dist
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Len(t, strings.Split(strings.TrimSpace(string(out)), "\n"), len(names(t, dist))-1, "every file but the sums")
}

// binaryIn returns the binary for a machine, in Go's words.
func binaryIn(dist, arch string) string {
	return filepath.Join(dist, "check-hotfix_"+currentVersion+"_linux_"+arch)
}

func assertStatic(t *testing.T, dist string) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		f, err := elf.Open(binaryIn(dist, arch))
		require.NoError(t, err)
		defer f.Close()
		assert.Equal(t, machine, f.Machine, arch)
		assert.Nil(t, f.Section(".debug_info"), "%s is stripped", arch)
		for _, p := range f.Progs {
			assert.NotContains(t, []elf.ProgType{elf.PT_INTERP, elf.PT_DYNAMIC}, p.Type, "%s needs no loader or library", arch)
		}
	}
}

// assertBills compares each bill of materials with what Go says is in the binary.
func assertBills(t *testing.T, dist string) {
	for _, arch := range []string{"amd64", "arm64"} {
		text, err := os.ReadFile(binaryIn(dist, arch) + ".cdx.json")
		require.NoError(t, err)
		type component struct{ Name, Version, Purl string }
		var bom struct {
			BOMFormat string
			Serial    string `json:"serialNumber"`
			Metadata  struct {
				Timestamp string
				Component component
			}
			Components []component
		}
		require.NoError(t, json.Unmarshal(text, &bom))
		assert.Equal(t, "CycloneDX", bom.BOMFormat)
		assert.Empty(t, bom.Serial+bom.Metadata.Timestamp, "what differs from run to run")
		assert.Equal(t, component{"check-hotfix", currentVersion, "pkg:golang/github.com/bootpointer/bootpointer@" + currentVersion},
			bom.Metadata.Component)

		said := output(t, "go", "version", "-m", binaryIn(dist, arch))
		want := []string{"std " + regexp.MustCompile(`: go(\S+)`).FindStringSubmatch(said)[1]}
		for _, dep := range regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)`).FindAllStringSubmatch(said, -1) {
			want = append(want, dep[1]+" "+dep[2])
		}
		require.Greater(t, len(want), 1)
		var got []string
		for _, c := range bom.Components {
			got = append(got, c.Name+" "+c.Version)
			assert.Equal(t, "pkg:golang/"+c.Name+"@"+c.Version, c.Purl)
		}
		assert.ElementsMatch(t, want, got, arch)
	}
}

// packaged are the files of a package with their modes, but for the zsh completion, whose folder differs.
func packaged(zshCompletion string) map[string]fs.FileMode {
	return map[string]fs.FileMode{
		"/usr/bin/check-hotfix":                                  0o755,
		"/usr/lib/systemd/system/check-hotfix.service":           0o644,
		"/usr/libexec/check-hotfix/provisioning-hotfix.sh":       0o755,
		"/usr/share/man/man8/check-hotfix.8.gz":                  0o644,
		"/usr/share/bash-completion/completions/check-hotfix":    0o644,
		"/usr/share/fish/vendor_completions.d/check-hotfix.fish": 0o644,
		"/usr/share/doc/check-hotfix/copyright":                  0o644,
		"/usr/share/doc/check-hotfix/operations.md":              0o644,
		"/usr/share/doc/check-hotfix/faults.md":                  0o644,
		"/usr/share/doc/check-hotfix/probe.md":                   0o644,
		"/usr/share/doc/check-hotfix/rollout.md":                 0o644,
		zshCompletion:                                            0o644,
	}
}

const (
	zshOfDebian = "/usr/share/zsh/vendor-completions/_check-hotfix"
	zshOfRPM    = "/usr/share/zsh/site-functions/_check-hotfix"
)

func assertDeb(t *testing.T, dist, epoch string) {
	for _, arch := range []string{"amd64", "arm64"} {
		deb := filepath.Join(dist, "check-hotfix_"+currentVersion+"-1_"+arch+".deb")
		assert.Equal(t, "check-hotfix "+currentVersion+"-1 "+arch,
			output(t, "dpkg-deb", "--show", "--showformat", "${Package} ${Version} ${Architecture}", deb))
		control := output(t, "dpkg-deb", "--ctrl-tarfile", deb)
		assert.ElementsMatch(t, []string{"./control", "./md5sums"}, slices.Collect(maps.Keys(tarModes(t, control, epoch))), "no maintainer scripts")
		want := packaged(zshOfDebian)
		got := tarModes(t, output(t, "dpkg-deb", "--fsys-tarfile", deb), epoch)
		for name, mode := range want {
			assert.Equal(t, mode, got["."+name], name)
			delete(got, "."+name)
		}
		assert.Empty(t, got)
	}
}

// tarModes returns the files of an archive and their modes, and checks what is the same for all.
func tarModes(t *testing.T, archive, epoch string) map[string]fs.FileMode {
	t.Helper()
	modes := map[string]fs.FileMode{}
	for r := tar.NewReader(strings.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return modes
		}
		require.NoError(t, err)
		assert.Zero(t, h.Uid+h.Gid, "%s belongs to root", h.Name)
		assert.Equal(t, epoch, strconv.FormatInt(h.ModTime.Unix(), 10), "%s is as old as the commit", h.Name)
		if h.Typeflag == tar.TypeDir {
			assert.EqualValues(t, 0o755, h.Mode, h.Name)
			continue
		}
		assert.EqualValues(t, tar.TypeReg, h.Typeflag, h.Name)
		modes[h.Name] = fs.FileMode(h.Mode)
	}
}

func assertRPM(t *testing.T, dist, epoch string) {
	for _, arch := range []string{"x86_64", "aarch64"} {
		rpm := filepath.Join(dist, "check-hotfix-"+currentVersion+"-1."+arch+".rpm")
		listed := strings.Fields(output(t, "rpm", "-qlp", rpm))
		assert.ElementsMatch(t, slices.Collect(maps.Keys(packaged(zshOfRPM))), listed)
		for name, mode := range packaged(zshOfRPM) {
			line := fmt.Sprintf("%s root root %s %s\n", fs.FileMode(mode), epoch, name)
			assert.Contains(t, output(t, "rpm", "-qp", "--qf",
				`[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILEMTIMES} %{FILENAMES}\n]`, rpm), line)
		}
		assert.Equal(t, arch+" "+epoch+" localhost", output(t, "rpm", "-qp", "--qf", "%{ARCH} %{BUILDTIME} %{BUILDHOST}", rpm))
		assert.Empty(t, output(t, "rpm", "-qp", "--scripts", rpm))
	}
}

// installDeb installs the package for this machine with dpkg into an empty system, and returns its root folder.
func installDeb(t *testing.T, dist string) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"info", "updates", "triggers"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
	output(t, "dpkg", "--root", root, "--install", filepath.Join(dist, "check-hotfix_"+currentVersion+"-1_"+runtime.GOARCH+".deb"))
	assert.Equal(t, "install ok installed", output(t, "dpkg-query", "--admindir", filepath.Join(root, "var/lib/dpkg"),
		"--show", "--showformat", "${Status}", "check-hotfix"))
	return root
}

func assertInstalledBinary(t *testing.T, root string) {
	path := filepath.Join(root, "usr/bin/check-hotfix")
	assert.Equal(t, currentVersion+"\n", output(t, path, "version"))
	c := newCluster(t)
	n := c.node(t, c.service.Addr())
	n.command = []string{path}

	assertRead(t, n, n.check(t))

	c.assertCalled(t, 1)
}

func assertManPage(t *testing.T, root string) {
	f, err := os.Open(filepath.Join(root, "usr/share/man/man8/check-hotfix.8.gz"))
	require.NoError(t, err)
	defer f.Close()
	r, err := gzip.NewReader(f)
	require.NoError(t, err)
	assert.Empty(t, r.Name)
	assert.True(t, r.ModTime.IsZero())
	page, err := io.ReadAll(r)
	require.NoError(t, err)
	path := writeFile(t, "check-hotfix.8", page)
	assertNoComplaint(t, "mandoc", "-T", "lint", "-W", "warning", path)
	text := regexp.MustCompile(`.\x08`).ReplaceAllString(output(t, "mandoc", "-T", "utf8", path), "") // bold, as on a typewriter
	assert.Contains(t, text, "SYNOPSIS")
	assert.Regexp(t, `(?i)^check-hotfix\(8\)`, text)
}

func assertCompletions(t *testing.T, root string) {
	for shell, path := range map[string]string{
		"bash": "/usr/share/bash-completion/completions/check-hotfix",
		"zsh":  zshOfDebian,
		"fish": "/usr/share/fish/vendor_completions.d/check-hotfix.fish",
	} {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		assert.Contains(t, string(text), "check-hotfix", shell)
		assertNoComplaint(t, shell, "-n", filepath.Join(root, path))
	}
}
