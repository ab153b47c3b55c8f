package promises

import (
	"encoding/json"
	"errors"
	"go/constant"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/telemetry/guestagent"
	"github.com/bootpointer/bootpointer/transport"
)

// listed returns what a section of docs/compatibility.md has in code quotes.
func listed(t *testing.T, heading, pattern string) []string {
	t.Helper()
	var list []string
	for _, m := range regexp.MustCompile("`("+pattern+")`").FindAllStringSubmatch(section(t, "docs/compatibility.md", "## "+heading), -1) {
		list = append(list, m[1])
	}
	return list
}

// constants returns the values of the string constants of one type.
func constants(t *testing.T, typeName string) []string {
	t.Helper()
	var values []string
	for _, pkg := range typeCheck(t) {
		for _, name := range pkg.Scope().Names() {
			if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok && c.Type().String() == module+typeName {
				values = append(values, constant.StringVal(c.Val()))
			}
		}
	}
	return values
}

func TestCompatibilityListsOutcomesAndReasons(t *testing.T) {
	t.Parallel()
	assert.ElementsMatch(t, constants(t, ".Outcome"), listed(t, "Outcomes", `\w+`))
	assert.ElementsMatch(t, constants(t, "/transport.Reason"), listed(t, "Reasons", `[\w-]+`))
	assert.Equal(t, []string{transport.Class(0).String(), transport.Benign.String(), transport.Authoritative.String(),
		transport.FallbackEligible.String()}, listed(t, "Classes", `\w+`))
}

// members returns the names in a JSON object.
func members(t *testing.T, object []byte) []string {
	t.Helper()
	var values map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object, &values))
	return slices.Collect(maps.Keys(values))
}

func TestCompatibilityListsTheResult(t *testing.T) {
	t.Parallel()
	result, err := json.Marshal(bootpointer.Result{})
	require.NoError(t, err)
	withAttempt, err := json.Marshal(bootpointer.Result{Attempts: []transport.Attempt{{}}})
	require.NoError(t, err)
	var attempts struct{ Attempts []json.RawMessage }
	require.NoError(t, json.Unmarshal(withAttempt, &attempts))

	want := append(members(t, result), members(t, attempts.Attempts[0])...)

	assert.ElementsMatch(t, want, listed(t, "Members of the JSON result", `\w+`))
}

func TestCompatibilityListsTheEvent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	events, err := guestagent.New(dir)
	require.NoError(t, err)
	require.NoError(t, events.Report(t.Context(), bootpointer.Result{Start: time.Now(), Err: errors.New("x")}))
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	event, err := os.ReadFile(files[0])
	require.NoError(t, err)
	var message struct{ Message string }
	require.NoError(t, json.Unmarshal(event, &message))

	assert.ElementsMatch(t, members(t, event), listed(t, "Members of the event", `[A-Z]\w+`))
	assert.Equal(t, regexp.MustCompile(`\w+=`).FindAllString(message.Message, -1), listed(t, "Members of the event", `\w+=`))
}

func TestCompatibilityListsTheFlags(t *testing.T) {
	t.Parallel()
	var flags []string
	for _, args := range [][]string{{"--help"}, {"probe", "--help"}, {"explain", "--help"}} {
		help, err := goTool(append([]string{"run", "./cmd/check-hotfix"}, args...)...)
		require.NoError(t, err)
		found := regexp.MustCompile(`(?m)^  (--[a-z-]+)( |$)`).FindAllSubmatch(help, -1)
		require.NotEmpty(t, found)
		for _, m := range found {
			flags = append(flags, string(m[1]))
		}
	}
	slices.Sort(flags)
	flags = slices.Compact(flags)
	assert.ElementsMatch(t, flags, listed(t, "Flags", "--[a-z-]+"))
}
