package pointer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want Pointer
	}{
		"map": {`{"hotfixes":{"202604.01":"202604.01.1","202605.02":"202605.02.10"}}`,
			Pointer{Hotfixes: map[string]string{"202604.01": "202604.01.1", "202605.02": "202605.02.10"}}},
		"all members": {" {\r\n\t\"version\": \"202604.01.5\", \"scripts_version\":\"x\",\"hotfixes\" : {\"202604.01\" :\n\"202604.01.1\"}}\n",
			Pointer{Version: "202604.01.5", Hotfixes: map[string]string{"202604.01": "202604.01.1"}}},
		"escaped name": {`{"\u0068otfixes":{"202604.01":"202604.01.\u0031"}}`,
			Pointer{Hotfixes: map[string]string{"202604.01": "202604.01.1"}}},
		"unknown members": {`{"artifacts":{"hotfixes":{"x":[{},"}"]}},"hotfixes":{"202604.01":"202604.01.0"},"n":-1.5e3}`,
			Pointer{Hotfixes: map[string]string{"202604.01": "202604.01.0"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, warnings, err := Parse([]byte(tt.text))
			require.NoError(t, err)
			assert.Empty(t, warnings)
			assert.Equal(t, tt.want, p)
			assert.False(t, p.Empty())
		})
	}
}

func TestP2Values(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		`"202604.01.+2"`, `"202604.01.002"`, `"202604.01.00"`, `"202604.01.99999999999999999999"`,
		`"202604.01.１２"`, `"202604.01.2\n"`, `"202604.01.2 "`, `" 202604.01.2"`, `"202604.01.2-rc1"`,
		`"202604.01.2;reboot"`, `"../202604.01.2"`, `"../x"`, `"202604.02.2"`, `"202604.01"`, `"202604.01."`,
		`"202604.01.0x2"`, `"202604.01.1_0"`, `"202604.01.-2"`, `"202604.01.2e1"`, `"202604.01.2\u0000"`, `""`, `"dev"`,
		`null`, `2`, `["202604.01.2"]`, `{"202604.01":"202604.01.2"}`, `true`,
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			p, warnings, err := Parse(fmt.Appendf(nil, `{"hotfixes":{"202604.01":%s,"202605.01":"202605.01.1"}}`, value))
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"202605.01": "202605.01.1"}, p.Hotfixes)
			require.Len(t, warnings, 1)
			assert.Contains(t, warnings[0], `"202604.01"`)

			_, warnings, err = Parse(fmt.Appendf(nil, `{"hotfixes":{"202604.01":%s}}`, value))
			require.ErrorIs(t, err, ErrMalformed)
			assert.Len(t, warnings, 1)
		})
	}
}

func TestP2Keys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"202604.1", "20260401", "202604.001", "２02604.01", "202604.01\\n", " 202604.01", "*", ""} {
		text := fmt.Sprintf(`{"hotfixes":{"%s":"%s.2","202605.01":"202605.01.1"}}`, key, key)
		p, warnings, err := Parse([]byte(text))
		require.NoError(t, err, key)
		assert.Equal(t, map[string]string{"202605.01": "202605.01.1"}, p.Hotfixes, key)
		assert.Len(t, warnings, 1, key)
	}
}

func TestMapAlone(t *testing.T) {
	t.Parallel()
	p, warnings, err := Parse([]byte(`{"202604.01":"202604.01.7","scripts_version":"202604.01.7","202605.01":"x","202606.01":1}`))
	require.NoError(t, err)
	assert.True(t, p.Empty())
	assert.Equal(t, []Warning{`entry "202604.01": left out, it stands beside "hotfixes" and not in it`}, warnings)
}

func TestP3Malformed(t *testing.T) {
	t.Parallel()
	const entries = `{"202604.01":"202604.01.1"}`
	for name, text := range map[string]string{
		"null":                `{"hotfixes":null}`,
		"number":              `{"hotfixes":1}`,
		"array":               `{"hotfixes":["202604.01"]}`,
		"string":              `{"hotfixes":"202604.01.1"}`,
		"hotfixes twice":      `{"hotfixes":` + entries + `,"hotfixes":` + entries + `}`,
		"hotfixes escaped":    `{"hotfixes":` + entries + `,"hotfixe\u0073":{}}`,
		"base twice":          `{"hotfixes":{"202604.01":"202604.01.1","202604.01":"202604.01.1"}}`,
		"invalid key twice":   `{"hotfixes":{"202604.01":"202604.01.1","x":1,"x":1}}`,
		"unknown twice":       `{"a":1,"hotfixes":` + entries + `,"a":1}`,
		"no valid entry":      `{"hotfixes":{"a":"b"}}`,
		"version null":        `{"version":null}`,
		"version number":      `{"version":202604.01,"hotfixes":` + entries + `}`,
		"version object":      `{"version":{},"hotfixes":` + entries + `}`,
		"trailing data":       `{"hotfixes":` + entries + `}{}`,
		"two documents":       `{}{}`,
		"trailing comma":      `{"hotfixes":` + entries + `,}`,
		"truncated":           `{"hotfixes":` + entries,
		"top-level null":      `null`,
		"top-level array":     `[]`,
		"top-level number":    `1`,
		"top-level string":    `"x"`,
		"HTML":                `<html><body>502</body></html>`,
		"byte order mark":     "\ufeff{}",
		"NUL bytes":           "\x00\x00\x00",
		"nesting, arrays":     strings.Repeat("[", MaxSize),
		"nesting, objects":    strings.Repeat(`{"a":`, MaxSize/5),
		"nesting, whole":      strings.Repeat("[", MaxSize/2) + strings.Repeat("]", MaxSize/2),
		"nesting, in the map": `{"hotfixes":{"202604.01":` + strings.Repeat("[", MaxSize/4) + strings.Repeat("]", MaxSize/4) + `}}`,
		"too large":           `{"hotfixes":` + entries + `}` + strings.Repeat(" ", MaxSize),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, err := Parse([]byte(text))
			require.ErrorIs(t, err, ErrMalformed)
			assert.Zero(t, p)
			assert.Less(t, len(err.Error()), 300)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestP3OtherName(t *testing.T) {
	t.Parallel()
	p, warnings, err := Parse([]byte(`{"HOTFIXES":{"202604.01":"202604.01.1"}}`))
	require.NoError(t, err)
	assert.True(t, p.Empty())
	assert.Equal(t, []Warning{`member "HOTFIXES": ignored, the name is "hotfixes"`}, warnings)
}

func TestP4Empty(t *testing.T) {
	t.Parallel()
	for text, version := range map[string]string{
		`{"version":"202604.01.5"}`: "202604.01.5",
		`{"version":""}`:            "",
		`{}`:                        "",
		`{"hotfixes":{}}`:           "",
		``:                          "",
		" \r\n\t":                   "",
	} {
		p, warnings, err := Parse([]byte(text))
		require.NoError(t, err, text)
		assert.Empty(t, warnings, text)
		assert.True(t, p.Empty(), text)
		assert.Equal(t, version, p.Version, text)
	}
}

func TestLegacyVersionThatIsNone(t *testing.T) {
	t.Parallel()
	p, warnings, err := Parse([]byte(`{"version":"202604.01.5;reboot"}`))
	require.NoError(t, err)
	assert.Zero(t, p)
	assert.Equal(t, []Warning{`member "version": left out, "202604.01.5;reboot" is not a version`}, warnings)
}

func TestWarningsAreCleanAndBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"hotfixes":{"202604.01":"202604.01.1"`)
	for i := range 200 {
		fmt.Fprintf(&b, `,"%d\n\u001b[31m\u202e%s":"%s"`, i, strings.Repeat("é", 500), strings.Repeat("\\u0000", 500))
	}
	b.WriteString("}}")
	_, warnings, err := Parse([]byte(b.String()))
	require.NoError(t, err)
	require.Len(t, warnings, maxWarnings+1)
	assert.Equal(t, Warning("180 more"), warnings[maxWarnings])
	for _, w := range warnings {
		assert.LessOrEqual(t, len(w), 640)
		unclean := func(r rune) bool { return r < ' ' || r > '~' }
		assert.False(t, strings.ContainsFunc(string(w), unclean), "%q", w)
	}
}

func TestParseKeepsNothingOfItsInput(t *testing.T) {
	t.Parallel()
	b := []byte(`{"hotfixes":{"202604.01":"202604.01.1"}}`)
	p, _, err := Parse(b)
	require.NoError(t, err)
	clear(b)
	assert.Equal(t, map[string]string{"202604.01": "202604.01.1"}, p.Hotfixes)
}

func TestReadFileAllowsOthersTheirDuplicates(t *testing.T) {
	t.Parallel()
	p, _, err := ReadFile(newFile(t, `{"x":1,"x":2,"hotfixes":{"202604.01":"202604.01.1"}}`))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"202604.01": "202604.01.1"}, p.Hotfixes)

	_, _, err = ReadFile(newFile(t, `{"hotfixes":{},"hotfixes":{}}`))
	require.ErrorIs(t, err, ErrMalformed)
}
