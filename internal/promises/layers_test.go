package promises

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// layer says what the packages of one kind may import of the module. The first layer that has a package counts.
type layer struct {
	packages string
	imports  []string
	grpc     bool // may depend on gRPC
}

// layers are those of DESIGN.md, low ones first.
var layers = []layer{
	{packages: "transport"},
	{packages: "internal/symlinks"},
	{packages: "pointer", imports: []string{"internal/symlinks"}},
	{packages: "transport/transporttest", imports: []string{"transport"}},
	{packages: "transport/fallback", imports: []string{"transport"}},
	{packages: "transport/grpc", imports: []string{"transport", "internal/*"}, grpc: true},
	{packages: "transport/*", imports: []string{"transport", "internal/*"}},
	{packages: "source/*/*test"},
	{packages: "source/*", imports: []string{"transport", "internal/*"}},
	{packages: ".", imports: []string{"transport", "pointer"}},
	{packages: "telemetry/*", imports: []string{".", "transport"}},
	{packages: "lpstest", imports: []string{"internal/lpspb"}, grpc: true},
	{packages: "internal/lpspb", grpc: true}, // protobuf's runtime is counted with gRPC
	{packages: "internal/lpspb/*", grpc: true},
	{packages: "internal/probe", imports: []string{".", "transport", "pointer", "source/nodeconfig", "internal/*"}},
	{packages: "internal/*", imports: []string{"transport", "internal/*"}},
}

func layerOf(p goPackage) (layer, bool) {
	for _, l := range layers {
		if matches(p.path(), l.packages) {
			return l, true
		}
	}
	return layer{}, false
}

// isOnTop reports whether p is in no layer but above them all, and may import any: programs, examples, our own tests.
func isOnTop(p goPackage) bool {
	return matches(p.path(), "cmd/*", "examples/*", "e2e", "internal/*test", "internal/promises")
}

func TestLayers(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if isOnTop(p) {
			continue
		}
		l, ok := layerOf(p)
		if !assert.True(t, ok, "%s is in no layer: see DESIGN.md, and the table here", p.path()) {
			continue
		}
		for _, imported := range p.Imports {
			if imported == module || strings.HasPrefix(imported, module+"/") {
				name := goPackage{ImportPath: imported}.path()
				assert.True(t, matches(name, l.imports...), "%s imports %s, which is no lower layer", p.path(), name)
			}
		}
		if !l.grpc {
			assert.Empty(t, dependsOn(p, "google.golang.org/"), "%s depends on gRPC", p.path())
		}
	}
}

// Neither a library nor the binary pulls a CLI framework or test code into whoever uses it. The packages for tests, and the
// sandbox that is made of them, pull in no more than the standard library's.
func TestNoTestCodeInLibraries(t *testing.T) {
	t.Parallel()
	others := []string{"github.com/urfave/", "github.com/stretchr/", "go.uber.org/goleak", "github.com/rogpeppe/", "github.com/Masterminds/"}
	for _, p := range packages(t) {
		if !p.isLibrary() && !strings.HasPrefix(p.path(), "cmd/") {
			continue
		}
		assert.Empty(t, dependsOn(p, others...), p.path())
		if p.isTestSupport() || p.path() == "cmd/lps-sandbox" {
			continue
		}
		assert.Empty(t, dependsOn(p, "testing"), p.path())
		for _, support := range libraries(t) {
			if support.isTestSupport() {
				assert.NotContains(t, p.Deps, support.ImportPath, p.path())
			}
		}
	}
}

func dependsOn(p goPackage, prefixes ...string) []string {
	var found []string
	for _, dep := range p.Deps {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(dep, prefix) }) {
			found = append(found, dep)
		}
	}
	return found
}
