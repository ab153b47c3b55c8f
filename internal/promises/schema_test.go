package promises

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/transport"
)

// objectSchema is the part of a JSON Schema that says what an object has.
type objectSchema struct {
	Properties           map[string]struct{ Enum []string }
	Required             []string
	AdditionalProperties *bool
	Defs                 map[string]objectSchema `json:"$defs"`
}

// assertMembers holds the members of an object, all of them required, to those that the code makes.
func (s objectSchema) assertMembers(t *testing.T, object []byte) {
	t.Helper()
	want := members(t, object)
	assert.ElementsMatch(t, want, slices.Collect(maps.Keys(s.Properties)))
	assert.ElementsMatch(t, want, s.Required)
	if assert.NotNil(t, s.AdditionalProperties) {
		assert.False(t, *s.AdditionalProperties)
	}
}

// The schema of the result has the members that the code makes, and the words of its constants.
func TestResultSchemaIsTheCode(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join(root, "docs", "result.schema.json"))
	require.NoError(t, err)
	var schema objectSchema
	require.NoError(t, json.Unmarshal(b, &schema))
	result, err := json.Marshal(bootpointer.Result{Attempts: []transport.Attempt{{}}})
	require.NoError(t, err)
	var made struct{ Attempts []json.RawMessage }
	require.NoError(t, json.Unmarshal(result, &made))
	attempt := schema.Defs["attempt"]

	schema.assertMembers(t, result)
	attempt.assertMembers(t, made.Attempts[0])

	assert.ElementsMatch(t, constants(t, ".Outcome"), schema.Properties["outcome"].Enum)
	assert.ElementsMatch(t, append(constants(t, "/transport.Reason"), ""), attempt.Properties["reason"].Enum)
	assert.Equal(t, []string{transport.Class(0).String(), transport.Benign.String(), transport.Authoritative.String(),
		transport.FallbackEligible.String()}, attempt.Properties["class"].Enum)
}
