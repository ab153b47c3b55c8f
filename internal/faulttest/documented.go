package faulttest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Documented compares a table with the rows of a page, in which test stands last: each has the other's, and no more.
func Documented(t *testing.T, page, test string, faults map[string]Fault) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	end := fmt.Sprintf("| `%s` |\n", test)
	rows := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasSuffix(line, end) {
			rows++
		}
	}
	for name, f := range faults {
		row := fmt.Sprintf("| %s | %s | `%s` | `%s` | %d %s", name, f.Class, f.Reason, f.Outcome, f.Calls, end)
		assert.True(t, strings.Contains(string(text), row), "%s has no row %s", page, row)
	}
	assert.Equal(t, len(faults), rows, "a row that is not in the table")
}
