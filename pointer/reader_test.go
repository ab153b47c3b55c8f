package pointer

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/readertest"
)

// weDecide is what readertest.Decide says, in our words.
func weDecide(file []byte, current string) (string, error) {
	p, _, err := parse(file, uniqueOwnMembers)
	if err != nil {
		return "", err
	}
	if target, ok := p.Resolve(current); ok && ShouldUpgrade(current, target) {
		return target, nil
	}
	return "", nil
}

func pick(from ...string) string { return from[rand.IntN(len(from))] }

func randomVersion() string {
	return pick("202604.01", "202604.02", "202605.01", "202512.31") + "." + pick("0", "1", "2", "9", "10", "11", "100")
}

// randomOldFile is a pointer file as one might find it: blanks, members in any order, of any case, twice.
func randomOldFile() string {
	var b strings.Builder
	b.WriteString(pick("", "", " ", "\ufeff") + "{")
	for i := range rand.IntN(6) {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(pick(
			`"version":"`+randomVersion()+`"`,
			`"scripts_version" : "`+randomVersion()+`"`,
			`"`+pick("hotfixes", "Hotfixes", "HOTFIXES", `hotfixe\u0073`, "hotfixeſ")+`":`+
				pick(`{}`, `null`, `{"202604.01":"`+randomVersion()+`"}`, `{"x":"y","202604.01":"202604.01.1"}`),
			fmt.Sprintf("\n\"unknown%d\" : [ 1.0 , {\"hotfixes\":{}} ]", i),
		) + pick("", " ", "\n"))
	}
	return b.String() + "}" + pick("", "\n")
}

func randomPointer() Pointer {
	p := Pointer{Hotfixes: map[string]string{}}
	for range 1 + rand.IntN(3) {
		version := randomVersion()
		base, _ := Base(version)
		p.Hotfixes[base] = version
	}
	return p
}

// Whatever was in the file and whatever is staged, the reader decides as we say, on every node.
func TestReaderAgreesOnWhatWeStage(t *testing.T) {
	t.Parallel()
	upgrades := 0
	for range 5_000 {
		old, p, current := randomOldFile(), randomPointer(), pick(randomVersion(), "dev", "202604.1.0", "")
		d, err := readDocument([]byte(old))
		require.NoError(t, err, old)
		all := p.Hotfixes
		if rand.IntN(2) == 0 {
			all = union(d.hotfixes, p.Hotfixes)
		}
		file, err := d.with(all)
		require.NoError(t, err)

		var seen readertest.File
		require.NoError(t, json.Unmarshal(file, &seen), "%s", file)
		require.Equal(t, all, seen.Hotfixes, "%s became %s", old, file)

		want, err := readertest.Decide(file, current)
		require.NoError(t, err)
		got := ""
		if target, ok := (Pointer{Hotfixes: all}).Resolve(current); ok && ShouldUpgrade(current, target) {
			got = target
		}
		require.Equal(t, want, got, "%s on %s", file, current)
		if got != "" {
			upgrades++
		}
	}
	assert.Greater(t, upgrades, 100)
}

// Where the two decide about a file that we did not stage, we upgrade to the same version or are stricter.
func TestReaderAgreesOnLegacyFiles(t *testing.T) {
	t.Parallel()
	upgrades := 0
	for range 5_000 {
		file := fmt.Sprintf(`{"version":%q,"scripts_version":"x"}`, randomVersion())
		current := pick(randomVersion(), randomVersion(), "dev", "")
		want, err := readertest.Decide([]byte(file), current)
		require.NoError(t, err)
		got, err := weDecide([]byte(file), current)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s on %s", file, current)
		if got != "" {
			upgrades++
		}
	}
	assert.Greater(t, upgrades, 100)
}

// Here the reader upgrades and we do not, on purpose: such a text is no version YYYYMM.DD.PATCH. None of them is
// ever staged.
func TestStricterThanTheReader(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, current, reader string }{
		"base is text, not a number":  {`{"version":"202604.1.5"}`, "202604.01.0", "202604.1.5"},
		"day of one digit":            {`{"hotfixes":{"202604.1":"202604.1.5"}}`, "202604.1.0", "202604.1.5"},
		"letter v":                    {`{"version":"v202604.01.5"}`, "202604.01.0", "v202604.01.5"},
		"letter v on the node":        {`{"version":"202604.01.5"}`, "v202604.01.0", "202604.01.5"},
		"prerelease":                  {`{"hotfixes":{"202604.01":"202604.01.5-rc1"}}`, "202604.01.0", "202604.01.5-rc1"},
		"prerelease on the node":      {`{"hotfixes":{"202604.01":"202604.01.5"}}`, "202604.01.0-rc1", "202604.01.5"},
		"build metadata":              {`{"hotfixes":{"202604.01":"202604.01.5+x"}}`, "202604.01.0", "202604.01.5+x"},
		"leading zero in the patch":   {`{"hotfixes":{"202604.01":"202604.01.05"}}`, "202604.01.0", "202604.01.05"},
		"patch of more than 63 bits":  {`{"hotfixes":{"202604.01":"202604.01.9999999999999999999"}}`, "202604.01.0", "202604.01.9999999999999999999"},
		"entry of another text base":  {`{"hotfixes":{"202604.01":"202604.1.5"}}`, "202604.01.0", "202604.1.5"},
		"not even a release":          {`{"version":"1.2.3"}`, "1.2.0", "1.2.3"},
		"name of another case":        {`{"HOTFIXES":{"202604.01":"202604.01.5"}}`, "202604.01.0", "202604.01.5"},
		"hotfixes twice":              {`{"hotfixes":{},"hotfixes":{"202604.01":"202604.01.5"}}`, "202604.01.0", "202604.01.5"},
		"null map and legacy version": {`{"hotfixes":null,"version":"202604.01.5"}`, "202604.01.0", "202604.01.5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader, err := readertest.Decide([]byte(tt.file), tt.current)
			require.NoError(t, err)
			assert.Equal(t, tt.reader, reader)
			got, _ := weDecide([]byte(tt.file), tt.current)
			assert.Empty(t, got)
		})
	}
}

// A legacy version that stands twice is no reason to find nothing: the reader takes the last one.
func TestVersionTwice(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		`{"version":"202604.01.5","version":"202604.01.6"}`: "202604.01.6",
		`{"version":"a","version":"b"}`:                     "",
	} {
		reader, err := readertest.Decide([]byte(file), "202604.01.0")
		require.NoError(t, err)
		got, err := weDecide([]byte(file), "202604.01.0")
		require.NoError(t, err)
		assert.Equal(t, want, got)
		if want != "" {
			assert.Equal(t, want, reader)
		}
	}
	_, _, err := Parse([]byte(`{"version":"202604.01.5","version":"202604.01.6"}`))
	require.ErrorIs(t, err, ErrMalformed, "of a service")
}

// samples says what is in each kind of pointer found in the field.
var samples = map[string]Pointer{
	"legacy-version.json":     {Version: "202607.20.2"},
	"map.json":                {Hotfixes: map[string]string{"202604.01": "202604.01.1"}},
	"map-with-artifacts.json": {Hotfixes: map[string]string{"202604.01": "202604.01.1"}},
	"scripts-only.json":       {},
}

func TestSamples(t *testing.T) {
	t.Parallel()
	testSamples(t, "testdata")
}

func TestFieldSamples(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("BOOTPOINTER_SAMPLES")
	if dir == "" {
		t.Skip("BOOTPOINTER_SAMPLES names no folder of real files")
	}
	testSamples(t, filepath.Join(dir, "pointer"))
}

func testSamples(t *testing.T, dir string) {
	for name, want := range samples {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		p, warnings, err := Parse(b)
		require.NoError(t, err, name)
		assert.Empty(t, warnings, name)
		assert.Equal(t, want, p, name)

		// As the file of a node, each takes a hotfix and keeps the rest.
		path := newFile(t, string(b))
		changed, err := newTestStager(t, path).Stage(t.Context(), patchPointer(7))
		require.NoError(t, err, name)
		assert.True(t, changed, name)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, foreignMembers(t, b), foreignMembers(t, after), name)
		target, err := readertest.Decide(after, "202604.01.0")
		require.NoError(t, err)
		assert.Equal(t, "202604.01.7", target, name)
	}
}

// foreignMembers returns the members that are not ours: the text of each value, in order, after its name.
func foreignMembers(t *testing.T, file []byte) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(string(file), "\ufeff")))
	_, err := dec.Token()
	require.NoError(t, err)
	list := []string{}
	for dec.More() {
		name, err := dec.Token()
		require.NoError(t, err)
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
		if !strings.EqualFold(name.(string), "hotfixes") {
			list = append(list, name.(string), string(value))
		}
	}
	return list
}
