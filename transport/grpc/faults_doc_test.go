package grpc

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table in docs/faults.md says what TestFaults tests, row by row.
func TestFaultsAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	rows := 0
	for name, f := range faults() {
		assert.Contains(t, string(doc), faultRow(name, f)+"\n")
	}
	for line := range strings.Lines(string(doc)) {
		if strings.HasSuffix(line, "| `TestFaults` |\n") {
			rows++
		}
	}
	assert.Equal(t, len(faults()), rows, "a row that is not in the table")
}

func faultRow(name string, f fault) string {
	return fmt.Sprintf("| %s | %s | `%s` | `%s` | %d | `TestFaults` |", name, f.class, f.reason, f.outcome, f.calls)
}
