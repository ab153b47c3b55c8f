package promises

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/bootpointer/bootpointer"

// root is the repository.
const root = "../.."

// goPackage is what go list says about a package.
type goPackage struct {
	ImportPath, Name, Dir              string
	GoFiles, TestGoFiles, XTestGoFiles []string
	IgnoredGoFiles                     []string
	Imports, Deps                      []string
}

// path returns where the package is in the module, "." for the root package.
func (p goPackage) path() string {
	if p.ImportPath == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

// isLibrary reports whether others may import the package.
func (p goPackage) isLibrary() bool {
	top, _, _ := strings.Cut(p.path(), "/")
	return p.Name != "main" && top != "internal" && top != "examples" && top != "e2e"
}

// isTestSupport reports whether the package is one for the tests of others.
func (p goPackage) isTestSupport() bool { return strings.HasSuffix(p.path(), "test") }

var listOnce = sync.OnceValues(func() ([]goPackage, error) {
	out, err := goTool("list", "-json=ImportPath,Name,Dir,GoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Imports,Deps", "./...")
	if err != nil {
		return nil, err
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
})

// packages returns every package of the module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	list, err := listOnce()
	require.NoError(t, err)
	require.Greater(t, len(list), 10)
	return list
}

// libraries returns the packages that others may import.
func libraries(t *testing.T) []goPackage {
	t.Helper()
	var list []goPackage
	for _, p := range packages(t) {
		if p.isLibrary() {
			list = append(list, p)
		}
	}
	require.Greater(t, len(list), 5)
	return list
}

// goTool runs the go command in the repository.
func goTool(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = errors.New(string(exit.Stderr))
	}
	return out, err
}

// matches reports whether one of patterns, as of [path.Match], is name.
func matches(name string, patterns ...string) bool {
	for _, pattern := range patterns {
		if ok, err := path.Match(pattern, name); ok || err != nil {
			return true
		}
	}
	return false
}
