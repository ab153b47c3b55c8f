package promises

import (
	"bytes"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/api.txt instead of comparing with it")

const apiFile = "testdata/api.txt"

// TestAPI compares the exported API of the library packages with a file, a line per name: a change of the API is a
// change of that file, for a reviewer to see. go test ./internal/promises -update writes it.
func TestAPI(t *testing.T) {
	t.Parallel()
	var got []string
	for _, pkg := range typeCheck(t) {
		got = append(got, api(pkg)...)
	}
	text := strings.Join(got, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(apiFile, []byte(text), 0o644))
	}
	want, err := os.ReadFile(apiFile)
	require.NoError(t, err)
	assert.Equal(t, string(want), text, "the API changed: see docs/compatibility.md, then run this test with -update")
}

// typeCheck returns the library packages from the export data that the compiler made.
func typeCheck(t *testing.T) []*types.Package {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, p := range libraries(t) {
		args = append(args, p.ImportPath)
	}
	out, err := goTool(args...)
	require.NoError(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		pkg, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[pkg] = file
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(pkg string) (io.ReadCloser, error) {
		b, err := os.ReadFile(exports[pkg])
		return io.NopCloser(bytes.NewReader(b)), err
	})
	var packages []*types.Package
	for _, p := range libraries(t) {
		pkg, err := compiled.Import(p.ImportPath)
		require.NoError(t, err)
		packages = append(packages, pkg)
	}
	return packages
}

// api returns the exported names of pkg, each on a line that begins with the package.
func api(pkg *types.Package) []string {
	name := strings.TrimPrefix(pkg.Path(), path.Dir(module)+"/")
	var lines []string
	for _, object := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(object); o.Exported() {
			lines = append(lines, declaration(o)...)
		}
	}
	slices.Sort(lines)
	for i, line := range lines {
		lines[i] = name + ": " + line
	}
	return lines
}

// declaration returns the lines of one exported name.
func declaration(o types.Object) []string {
	qualify := func(pkg *types.Package) string {
		if pkg == o.Pkg() {
			return ""
		}
		return pkg.Name()
	}
	switch o := o.(type) {
	case *types.Const:
		return []string{fmt.Sprintf("%s = %s", types.ObjectString(o, qualify), o.Val().ExactString())}
	case *types.TypeName:
		if !o.IsAlias() {
			return typeDeclaration(o, qualify)
		}
	}
	return []string{types.ObjectString(o, qualify)}
}

// typeDeclaration returns a line for the type, each exported field and each method.
func typeDeclaration(o *types.TypeName, qualify types.Qualifier) []string {
	head := "type " + o.Name()
	lines := []string{head + " " + types.TypeString(o.Type().Underlying(), qualify)}
	switch u := o.Type().Underlying().(type) {
	case *types.Struct:
		lines[0] = head + " struct"
		for f := range u.Fields() {
			if f.Exported() {
				lines = append(lines, fmt.Sprintf("%s struct, %s %s", head, f.Name(), types.TypeString(f.Type(), qualify)))
			}
		}
	case *types.Interface:
		lines[0] = head + " interface"
		for m := range u.Methods() {
			lines = append(lines, fmt.Sprintf("%s interface, %s%s", head, m.Name(), signature(m, qualify)))
		}
		return lines
	}
	// Pointers have all methods: the type's, and those of embedded types.
	for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
		if m.Obj().Exported() {
			lines = append(lines, fmt.Sprintf("method (%s) %s%s", receiver(o, m.Obj()), m.Obj().Name(), signature(m.Obj(), qualify)))
		}
	}
	return lines
}

// receiver returns the type, with a star where only pointers have the method.
func receiver(o *types.TypeName, method types.Object) string {
	if types.NewMethodSet(o.Type()).Lookup(o.Pkg(), method.Name()) != nil {
		return o.Name()
	}
	return "*" + o.Name()
}

func signature(method types.Object, qualify types.Qualifier) string {
	return strings.TrimPrefix(types.TypeString(method.Type(), qualify), "func")
}
