package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// schemaPath is where the schema of a command's JSON is, that of the check under the name of its result.
func schemaPath(commandName string) string {
	if commandName == "" {
		commandName = "result"
	}
	return filepath.Join("..", "..", "docs", commandName+".schema.json")
}

var schemas sync.Map

// schemaOf returns the schema of a command's JSON, compiled once.
func schemaOf(commandName string) (*jsonschema.Schema, error) {
	if s, ok := schemas.Load(commandName); ok {
		return s.(*jsonschema.Schema), nil
	}
	s, err := jsonschema.NewCompiler().Compile(schemaPath(commandName))
	if err == nil {
		schemas.Store(commandName, s)
	}
	return s, err
}

// checkJSON holds what a command printed to its schema. It has to be one line of ASCII.
func checkJSON(commandName, printed string) error {
	line, ok := strings.CutSuffix(printed, "\n")
	if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 || !ok {
		return fmt.Errorf("not one line of printable ASCII: %q", printed)
	}
	s, err := schemaOf(commandName)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// readExamples returns the examples in a command's schema, by a member of theirs.
func readExamples(t *testing.T, commandName, by string) map[string]json.RawMessage {
	t.Helper()
	b, err := os.ReadFile(schemaPath(commandName))
	require.NoError(t, err)
	var schema struct{ Examples []json.RawMessage }
	require.NoError(t, json.Unmarshal(b, &schema))
	examples := map[string]json.RawMessage{}
	for _, example := range schema.Examples {
		var members map[string]any
		require.NoError(t, json.Unmarshal(example, &members))
		examples[members[by].(string)] = example
	}
	assert.Len(t, examples, len(schema.Examples))
	return examples
}

// enumOf returns the words that a member of a command's JSON may be.
func enumOf(t *testing.T, commandName, member string) []string {
	t.Helper()
	b, err := os.ReadFile(schemaPath(commandName))
	require.NoError(t, err)
	var schema struct {
		Properties map[string]struct{ Enum []string }
	}
	require.NoError(t, json.Unmarshal(b, &schema))
	return schema.Properties[member].Enum
}

// settle replaces what differs from run to run.
func settle(t *testing.T, object []byte, paths *strings.Replacer) string {
	t.Helper()
	if len(object) == 0 {
		return "no example"
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(object))
	require.NoError(t, dec.Decode(&v))
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				switch name {
				case "duration_ms":
					v[name] = 0
				case "modified":
					v[name] = "some time"
				default:
					v[name] = walk(value)
				}
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case string:
			return paths.Replace(v)
		}
		return v
	}
	b, err := json.MarshalIndent(walk(v), "", "  ")
	require.NoError(t, err)
	return string(b)
}

// A schema that lets anything through would hold nothing.
func TestSchemasRefuse(t *testing.T) {
	t.Parallel()
	result := string(readExamples(t, "", "outcome")["lpsRead"])
	require.NoError(t, checkJSON("", result+"\n"))
	for _, change := range [][2]string{
		{`"outcome"`, `"outcom"`},
		{`"lpsRead"`, `"lpsread"`},
		{`"error":`, `"more":1,"error":`},
		{`"ok"`, `"fine"`},
		{`"reason":""`, `"reason":"bad-luck"`},
		{`"staged":true`, `"staged":false`},
	} {
		assert.Contains(t, result, change[0])
		assert.Error(t, checkJSON("", strings.Replace(result, change[0], change[1], 1)+"\n"), change[1])
	}
}
