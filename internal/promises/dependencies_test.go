package promises

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// section returns what stands under a heading of a Markdown file.
func section(t *testing.T, file, heading string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(b), "\n"+heading+"\n")
	require.True(t, ok, "%s has no %q", file, heading)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// Every module that go.mod requires directly has a line in DESIGN.md that says why, and no other has.
func TestEveryDependencyHasAReason(t *testing.T) {
	t.Parallel()
	out, err := goTool("mod", "edit", "-json")
	require.NoError(t, err)
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal(out, &mod))
	var direct []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	var explained []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]*\.[^|]*) \| [^|]+ \|$`).FindAllStringSubmatch(section(t, "DESIGN.md", "## Dependencies"), -1) {
		explained = append(explained, strings.Split(row[1], ", ")...)
	}
	assert.ElementsMatch(t, direct, explained)
}
