package pointer

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ours is how the hotfixes that tests stage stand in a file.
const ours = `"hotfixes":{"202604.01":"202604.01.1"}`

func hotfixes() map[string]string { return map[string]string{"202604.01": "202604.01.1"} }

func TestDocumentWith(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, want string }{
		"empty object":        {`{}`, `{` + ours + `}`},
		"blank object":        {" {\n} \n", ` {` + ours + "\n} \n"},
		"no hotfixes":         {"{\n  \"a\": 1\n}\n", "{\n  \"a\": 1," + ours + "\n}\n"},
		"first":               {`{ "hotfixes" : {} , "a" : 1 }`, `{ ` + ours + ` , "a" : 1 }`},
		"middle":              {`{"a":1, "hotfixes":{"202604.01":"202604.01.0"} ,"b":2}`, `{"a":1, ` + ours + ` ,"b":2}`},
		"last":                {`{"a":1,"hotfixes":{"x":"y"}}`, `{"a":1,` + ours + `}`},
		"not a map":           {`{"hotfixes":null,"a":1}`, `{` + ours + `,"a":1}`},
		"twice":               {`{"hotfixes":{},"a":1 , "hotfixes":{} ,"b":2}`, `{` + ours + `,"a":1 ,"b":2}`},
		"variants":            {`{"Hotfixes":{},"HOTFIXES":{},"hotfixeſ":{},"a":1}`, `{` + ours + `,"a":1}`},
		"variants at the end": {`{"a":1,"hotfixes":{},"HOTFIXES":{},"Hotfixes":{}}`, `{"a":1,` + ours + `}`},
		"escaped name":        {`{"\u0068otfixes":{}}`, `{` + ours + `}`},
		"byte order mark":     {"\ufeff{\"a\":1}", `{"a":1,` + ours + `}`},
		"foreign twice":       {`{"a":1,"a":2}`, `{"a":1,"a":2,` + ours + `}`},
		"nested":              {`{"a":{"hotfixes":{"x":"}"}}}`, `{"a":{"hotfixes":{"x":"}"}},` + ours + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := readDocument([]byte(tt.file))
			require.NoError(t, err)
			assert.False(t, d.has(hotfixes()))
			got, err := d.with(hotfixes())
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))

			d, err = readDocument(got)
			require.NoError(t, err)
			assert.True(t, d.has(hotfixes()))
		})
	}
}

func TestDocumentHas(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		`{` + ours + `}`: true,
		`{"hotfixes" : { "202604.01" : "202604.01.\u0031" } }`: true,
		`{` + ours + `,"HOTFIXES":{}}`:                         false,
		`{"HOTFIXES":{},` + ours + `}`:                         false,
		`{"Hotfixes":{"202604.01":"202604.01.1"}}`:             false,
		`{"hotfixes":{"202604.01":"202604.01.1","x":"y"}}`:     false,
		`{"hotfixes":{"202604.01":"202604.01.1","x":1}}`:       false,
		"\ufeff{" + ours + `}`:                                 false,
	} {
		d, err := readDocument([]byte(file))
		require.NoError(t, err, file)
		assert.Equal(t, want, d.has(hotfixes()), file)
	}
}

func TestDocumentSeesWhatTheReaderSees(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]map[string]string{
		`{"hotfixes":{"202604.01":"202604.01.9","202604.01":"202604.01.2"}}`:              {"202604.01": "202604.01.2"},
		`{"hotfixes":{"202604.01":"202604.01.9"},"Hotfixes":{"202605.01":"202605.01.1"}}`: {"202604.01": "202604.01.9", "202605.01": "202605.01.1"},
		`{"hotfixes":{"202604.01":"202604.01.9"},"HOTFIXES":null}`:                        {},
		`{"hotfixes":[]}`: {},
		`{"hotfixes":{"202604.01":"202604.02.1","x":"y","202605.01":null}}`: {},
	} {
		d, err := readDocument([]byte(file))
		require.NoError(t, err, file)
		assert.Equal(t, want, d.hotfixes, file)
	}
}

func TestUnionNeverLowers(t *testing.T) {
	t.Parallel()
	staged := map[string]string{"202604.01": "202604.01.10", "202605.01": "202605.01.1", "202606.01": "202606.01.1"}
	got := union(staged, map[string]string{"202604.01": "202604.01.9", "202605.01": "202605.01.2", "202607.01": "202607.01.1"})
	assert.Equal(t, map[string]string{"202604.01": "202604.01.10", "202605.01": "202605.01.2",
		"202606.01": "202606.01.1", "202607.01": "202607.01.1"}, got)
	assert.Equal(t, "202605.01.1", staged["202605.01"])
}
