package promises

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, p goPackage, names ...[]string) (*token.FileSet, []*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(names...) {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, f)
	}
	return fset, files
}

// One file of each folder has the package comment: doc.go, or main.go of a command.
func TestOnePackageComment(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		_, files := parse(t, p, p.GoFiles)
		var commented []string
		for i, f := range files {
			if f.Doc != nil {
				commented = append(commented, p.GoFiles[i])
			}
		}
		want := "doc.go"
		if p.Name == "main" {
			want = "main.go"
		}
		assert.Equal(t, []string{want}, commented, p.path())
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	t.Parallel()
	for _, p := range libraries(t) {
		fset, files := parse(t, p, p.GoFiles)
		docs, err := doc.NewFromFiles(fset, files, p.ImportPath)
		require.NoError(t, err)
		undocumented := func(name string) { t.Errorf("%s: %s is not documented", p.path(), name) }
		values := func(list []*doc.Value) {
			for _, v := range list {
				checkSpecs(v, undocumented)
			}
		}
		funcs := func(list []*doc.Func, of string) {
			for _, f := range list {
				if f.Doc == "" && ast.IsExported(f.Name) {
					undocumented(of + f.Name)
				}
			}
		}
		values(docs.Consts)
		values(docs.Vars)
		funcs(docs.Funcs, "")
		for _, typ := range docs.Types {
			if typ.Doc == "" {
				undocumented(typ.Name)
			}
			values(typ.Consts)
			values(typ.Vars)
			funcs(typ.Funcs, "")
			funcs(typ.Methods, typ.Name+".")
			checkFields(fset, typ, undocumented)
		}
	}
}

// checkSpecs wants a comment on each constant or variable, or one on their group.
func checkSpecs(v *doc.Value, undocumented func(string)) {
	if v.Doc != "" {
		return
	}
	for _, spec := range v.Decl.Specs {
		s := spec.(*ast.ValueSpec)
		for _, name := range s.Names {
			if name.IsExported() && s.Doc == nil && s.Comment == nil {
				undocumented(name.Name)
			}
		}
	}
}

// checkFields wants a comment on each field of a struct, or one on the field in the line above that counts for both.
// The contract of an interface is the comment on its type.
func checkFields(fset *token.FileSet, typ *doc.Type, undocumented func(string)) {
	documentedUpTo := 0
	ast.Inspect(typ.Decl, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if _, isInterface := n.(*ast.InterfaceType); !ok || isInterface {
			return !isInterface
		}
		if f.Doc != nil || f.Comment != nil || fset.Position(f.Pos()).Line == documentedUpTo+1 {
			documentedUpTo = fset.Position(f.End()).Line
			return false
		}
		for _, name := range f.Names {
			if name.IsExported() {
				undocumented(typ.Name + "." + name.Name)
			}
		}
		return false
	})
}

func TestEveryLibraryPackageHasAnExample(t *testing.T) {
	t.Parallel()
	for _, p := range libraries(t) {
		_, files := parse(t, p, p.TestGoFiles, p.XTestGoFiles)
		runnable := slices.ContainsFunc(doc.Examples(files...), func(e *doc.Example) bool {
			return e.Output != "" || e.EmptyOutput
		})
		assert.True(t, runnable, "%s has no example that runs", p.path())
	}
}
