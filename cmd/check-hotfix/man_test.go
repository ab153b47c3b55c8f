package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestManPage(t *testing.T) {
	t.Parallel()
	page := manPage("202604.01.3", "2026-04-01")
	assert.True(t, strings.HasPrefix(page, ".TH CHECK\\-HOTFIX 8 2026-04-01 \"check\\-hotfix \\&202604.01.3\""))
	var sections []string
	for line := range strings.SplitSeq(page, "\n") {
		if name, ok := strings.CutPrefix(line, ".SH "); ok {
			sections = append(sections, strings.Trim(name, `"`))
		}
	}
	assert.Equal(t, []string{"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES",
		"SEE ALSO"}, sections)
}

func TestPageDate(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "2026-04-01", pageDate("202604.01.3"))
	assert.Equal(t, "1970-01-01", pageDate("202604.99.3"), "a version, and no date")
	assert.Equal(t, "1970-01-01", pageDate("dev"))
}

func TestEscapeRoff(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `\&.TH \(aqx\(aq \-\-y \e \(gaz\(ga`, escapeRoff(".TH 'x' --y \\ `z`"))
}

// The formatters that read man pages find nothing to warn of. Where they are missing, the end-to-end tests have them.
func TestManPageFormats(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{
		"mandoc": {"mandoc", "-T", "lint", "-W", "warning"},
		"groff":  {"groff", "-man", "-ww", "-Tutf8", "-z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(command[0])
			if err != nil {
				t.Skipf("no %s", name)
			}
			cmd := exec.Command(path, command[1:]...)
			cmd.Stdin = strings.NewReader(manPage("202604.01.3", "2026-04-01"))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Empty(t, string(out))
		})
	}
}
