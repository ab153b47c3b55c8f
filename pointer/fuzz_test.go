package pointer

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"version":"202604.01.5","scripts_version":"202604.01.7","hotfixes":{"202604.01":"202604.01.1"}}`,
		`{"hotfixes":{"202604.01":"202604.01.002","202605.01":"202605.01.1"}}`,
		`{"HOTFIXES":{}}`, `{"hotfixes":null}`, `{}{}`, `null`, `[]`, ``, "\ufeff{}", `{"hotfixe\u0073":{},"hotfixes":{}}`, `{"a":[[[[`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, warnings, err := Parse(b)
		require.LessOrEqual(t, len(warnings), maxWarnings+1)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			require.Zero(t, p)
			return
		}
		require.NoError(t, p.validate())
		if p.Empty() {
			return
		}
		// Where we are not stricter, encoding/json has the same entries.
		var reader struct {
			Hotfixes map[string]any `json:"hotfixes"`
		}
		if json.Unmarshal(b, &reader) == nil {
			for base, version := range p.Hotfixes {
				if len(warnings) == 0 {
					require.Equal(t, version, reader.Hotfixes[base])
				}
			}
		}
		again, _, err := Parse(documentOf(p.Hotfixes))
		require.NoError(t, err)
		require.Equal(t, p.Hotfixes, again.Hotfixes)
	})
}

func FuzzMerge(f *testing.F) {
	for _, file := range []string{
		staged, cloudInit, `{}`, " {\n} \n", "\ufeff{\"a\":1}",
		`{"text":"a&b<c","n":9007199254740993,"hotfixes":{"202604.01":"202604.01.0"}, "x" : [ 1 ,{}] }`,
		`{"Hotfixes":{},"HOTFIXES":{"202604.01":"202604.01.9"},"hotfixeſ":null,"a":1,"a":2}`,
		`{"hotfixes":5,"a":"\ud800","\u0061":"` + "\xff" + `"}`,
	} {
		f.Add([]byte(file), true)
		f.Add([]byte(file), false)
	}
	f.Fuzz(func(t *testing.T, file []byte, merge bool) {
		d, err := readDocument(file)
		if err != nil {
			return
		}
		all := hotfixes()
		if merge {
			all = union(d.hotfixes, all)
		}
		after, err := d.with(all)
		require.NoError(t, err)
		require.True(t, json.Valid(after), "%q became %q", file, after)
		require.Equal(t, foreignMembers(t, file), foreignMembers(t, after), "%q became %q", file, after)

		again, err := readDocument(after)
		require.NoError(t, err)
		require.True(t, again.has(all))
		assert.Equal(t, all, again.hotfixes)
	})
}
