package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/readertest"
)

// newPointerFile returns a pointer file with these bytes.
func newPointerFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pointer.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// asJSON returns what explain prints for programs.
func asJSON(t testing.TB, e explanation) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, printJSON(&b, e))
	return b.Bytes()
}

// ruleCases has a file for each rule. They are the examples in the schema, too.
var ruleCases = map[rule]struct{ file, current, says string }{
	ruleHigherPatch: {
		`{"version":"202604.01.5","scripts_version":"202604.01.7","hotfixes":{"202604.01":"202604.01.10","202607.15":"202607.15.1"}}`,
		"202604.01.9", "On this node (202604.01.9) download-hotfix installs 202604.01.10: " +
			"base 202604.01 is in the map and patch 10 is higher than 9, as numbers."},
	ruleNotHigher: {`{"hotfixes":{"202604.01":"202604.01.1"}}`, "202604.01.2",
		"installs nothing: base 202604.01 is in the map and patch 1 is not higher than 2."},
	ruleBaseAbsent: {`{"version":"202604.01.5","hotfixes":{"202607.15":"202607.15.1"}}`, "202604.01.0",
		"installs nothing: base 202604.01 is not in the map, and next to a map with entries nothing else counts."},
	ruleOtherBase: {`{"version":"202607.15.5","hotfixes":{}}`, "202604.01.0",
		"installs nothing: there is no map, and the legacy version 202607.15.5 is not of base 202604.01."},
	ruleNoVersion: {`{"hotfixes":{"202604.01":"202604.01.1"}}`, "dev",
		"installs nothing: the node's version is not YYYYMM.DD.PATCH"},
	ruleNothingNamed:  {`{"scripts_version":"202604.01.7","other":[1]}`, "202604.01.0", "installs nothing: the file names no version"},
	ruleNothingStaged: {"", "202604.01.0", "installs nothing: no pointer is staged."},
	ruleMalformed:     {`{"hotfixes":{"202604.01":"202604.01.1"`, "202604.01.0", "installs nothing: the file is malformed."},
	ruleUnreadable:    {"", "202604.01.0", "may install anything or nothing: the file cannot be read from here."},
}

// Each rule of the schema decides one file, and the examples in the schema are what is printed then.
func TestExplainRules(t *testing.T) {
	t.Parallel()
	examples := readExamples(t, "explain", "rule")
	for r, tt := range ruleCases {
		t.Run(string(r), func(t *testing.T) {
			t.Parallel()
			path := newPointerFile(t, tt.file)
			switch r {
			case ruleNothingStaged:
				require.NoError(t, os.Remove(path))
			case ruleUnreadable:
				require.NoError(t, os.Remove(path))
				require.NoError(t, os.Mkdir(path, 0o700))
			}

			e := explainFile(path, tt.current)

			assert.Equal(t, r, e.Rule)
			assert.Contains(t, e.Explanation, tt.says)
			assert.Equal(t, r == ruleHigherPatch, e.WouldUpgrade)
			assert.Empty(t, e.Doubts)
			printed := asJSON(t, e)
			require.NoError(t, checkJSON("explain", string(printed)))
			paths := strings.NewReplacer(path, "/opt/azure/containers/aks-node-controller-hotfix.json")
			assert.Equal(t, settle(t, examples[string(r)], paths), settle(t, printed, paths), "%s", printed)
			assert.NoError(t, checkJSON("explain", string(examples[string(r)])+"\n"))
			assert.True(t, strings.HasSuffix(e.text(terminal{}), e.Explanation+"\n"))
		})
	}
	var rules []string
	for r := range ruleCases {
		rules = append(rules, string(r))
	}
	assert.ElementsMatch(t, enumOf(t, "explain", "rule"), rules)
	assert.Len(t, examples, len(rules))
}

// What each member and each entry is good for.
func TestExplainNotes(t *testing.T) {
	t.Parallel()
	const node = "202604.01.0"
	for name, tt := range map[string]struct{ file, line string }{
		"the node's entry":       {`{"hotfixes":{"202604.01":"202604.01.1"}}`, "202604.01  202604.01.1  this node's base: patch 1 is higher than 0"},
		"the node's, no upgrade": {`{"hotfixes":{"202604.01":"202604.01.0"}}`, "this node's base: patch 0 is not higher than 0"},
		"another base":           {`{"hotfixes":{"202607.15":"202607.15.1"}}`, "202607.15  202607.15.1  another base"},
		"no base":                {`{"hotfixes":{"202604.1":"202604.1.1","202604.01":"202604.01.1"}}`, "left out: the name is not a base YYYYMM.DD"},
		"a version of another":   {`{"hotfixes":{"202607.15":"202604.01.1","202604.01":"202604.01.1"}}`, "left out: the value is not that base and a patch"},
		"a number":               {`{"hotfixes":{"202607.15":1,"202604.01":"202604.01.1"}}`, "left out: the value is not a string"},
		"nothing is valid":       {`{"hotfixes":{"202604.1":"x"}}`, "left out: the name is not a base YYYYMM.DD"},
		"twice in the map":       {`{"hotfixes":{"202604.01":"202604.01.1","202604.01":"202604.01.1"}}`, "not looked at in a malformed file"},
		"map twice":              {`{"hotfixes":{},"hotfixes":{}}`, "stands twice, so that the file is malformed"},
		"map null":               {`{"hotfixes":null}`, "hotfixes  null  the map"},
		"map empty":              {`{"hotfixes":{}}`, "hotfixes  0 entries  the map from base to version: empty, so that the legacy version counts"},
		"map of another name":    {`{"Hotfixes":{}}`, "not the map, whose name is all in small letters"},
		"legacy beside a map":    {`{"version":"202604.01.5","hotfixes":{"202604.01":"202604.01.1"}}`, "legacy: does not count, since the map has entries; kept"},
		"legacy alone":           {`{"version":"202604.01.5"}`, "version  202604.01.5  legacy: counts, since the map has no entries"},
		"legacy empty":           {`{"version":""}`, "legacy: empty"},
		"legacy wrong":           {`{"version":"5"}`, "version  5  legacy: left out, it is not YYYYMM.DD.PATCH"},
		"legacy of another name": {`{"Version":"202604.01.5"}`, "unknown, since names are in small letters: passed over, kept"},
		"scripts":                {`{"scripts_version":"202604.01.7"}`, "scripts_version  202604.01.7  for the node's scripts: plays no part here; kept"},
		"unknown":                {`{"token":"s3cret"}`, "token  text, 8 bytes  unknown: passed over, kept"},
		"unknown object":         {`{"a":{"b":[1]}}`, "a  object, 9 bytes  unknown"},
		"unknown list":           {`{"a":[1]}`, "a  list, 3 bytes  unknown"},
		"unknown others":         {`{"a":-1,"b":true,"c":null}`, "c  null    unknown"},
		"empty file":             {"", "0 bytes, changed 2"},
		"an escape sequence":     {`{"\u001b]0;x\u0007":1}`, `"\x1b]0;x\a"  number  unknown`},
		"digits of another kind": {`{"hotfixes":{"２02604.01":"202604.01.1","202604.01":"202604.01.1"}}`, `"\uff1202604.01"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := explainFile(newPointerFile(t, tt.file), node)
			assert.Contains(t, e.text(terminal{}), tt.line)
			assert.NotContains(t, e.text(terminal{}), "s3cret")
			assert.NoError(t, checkJSON("explain", string(asJSON(t, e))))
		})
	}
}

func TestExplainDoubts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, current, doubt string }{
		"entry of the node left out": {`{"hotfixes":{"202604.01":"v202604.01.5","202607.15":"202607.15.1"}}`, "202604.01.0", `"202604.01" is left out`},
		"entry of others left out":   {`{"hotfixes":{"202604.01":"202604.01.5","202607.15":"../x"}}`, "202604.01.0", ""},
		"entry that is a number":     {`{"hotfixes":{"202604.01":"202604.01.5","202607.15":1}}`, "202604.01.0", `"202607.15" is not a text`},
		"entry that is null":         {`{"hotfixes":{"202604.01":"202604.01.5","202607.15":null}}`, "202604.01.0", ""},
		"legacy left out":            {`{"version":"v202604.01.5"}`, "202604.01.0", `"version" is left out`},
		"legacy beside a map":        {`{"version":"v202604.01.5","hotfixes":{"202604.01":"202604.01.5"}}`, "202604.01.0", ""},
		"names of another case":      {`{"VERSION":"202604.01.5"}`, "202604.01.0", `"VERSION" has a name`},
		"scripts version, a number":  {`{"scripts_version":5}`, "202604.01.0", `"scripts_version" is not a text`},
		"a version like a version":   {`{"version":"202604.01.5"}`, "v202604.01.0", "the node's version"},
		"a version like none":        {`{"version":"202604.01.5"}`, "dev", ""},
		"malformed, but JSON":        {`{"hotfixes":{},"hotfixes":{"202604.01":"202604.01.5"}}`, "202604.01.0", "breaks the rules"},
		"no JSON":                    {`{"hotfixes":`, "202604.01.0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := explainFile(newPointerFile(t, tt.file), tt.current)
			if tt.doubt == "" {
				assert.Empty(t, e.Doubts)
				assert.NotContains(t, e.Explanation, "By the rules")
				return
			}
			require.Len(t, e.Doubts, 1)
			assert.Contains(t, e.Doubts[0], tt.doubt)
			assert.True(t, strings.HasPrefix(e.Explanation, "By the rules, on this node ("), e.Explanation)
		})
	}
}

func pick(from ...string) string { return from[rand.IntN(len(from))] }

// randomPointerFile is a file as a service, cloud-init or a person in a hurry may leave it: sound in most places.
func randomPointerFile() string {
	odd := func(sound string, odd ...string) string {
		if rand.IntN(10) > 0 {
			return sound
		}
		return pick(odd...)
	}
	base := func() string { return odd(pick("202604.01", "202604.01", "202607.15"), "202604.1", "v202604.01", "x") }
	value := func(base string) string {
		version := base + "." + odd(pick("0", "1", "9", "10"), "010", "9-rc1", "1+x")
		return odd(strconv.Quote(version), "null", "5", `""`, `"x"`)
	}
	hotfixes := func() string {
		var entries []string
		for range rand.IntN(3) {
			b := base()
			entries = append(entries, strconv.Quote(b)+":"+value(odd(b, base())))
		}
		return odd("{"+strings.Join(entries, ",")+"}", "null", `"x"`)
	}
	var members []string
	for range 1 + rand.IntN(2) {
		switch name := odd(pick("hotfixes", "hotfixes", "version", "scripts_version"), "Hotfixes", "VERSION", "other"); {
		case strings.EqualFold(name, "hotfixes"):
			members = append(members, strconv.Quote(name)+":"+hotfixes())
		default:
			members = append(members, strconv.Quote(name)+":"+value(base()))
		}
	}
	return odd("{", "\ufeff{", "x{") + strings.Join(members, " , ") + "}"
}

// Where explain has no doubts, download-hotfix decides as it says.
func TestExplainIsRightOrDoubts(t *testing.T) {
	t.Parallel()
	upgrades, certain := 0, 0
	for range 20_000 {
		file := randomPointerFile()
		current := pick("202604.01.0", "202604.01.9", "202604.01.10", "202607.15.0", "202604.1.0", "v202604.01.0", "dev", "")
		e := newExplanation("pointer.json", current)
		e.explainBytes([]byte(file))
		if len(e.Doubts) > 0 {
			continue
		}
		certain++
		want, _ := readertest.Decide([]byte(file), current) // with an error, it does nothing
		got := ""
		if e.WouldUpgrade {
			got = e.ResolvedVersion
			upgrades++
		}
		require.Equal(t, want, got, "%s on %s", file, current)
	}
	assert.Greater(t, certain, 5_000)
	assert.Greater(t, upgrades, 500)
}

// The largest files give no more output than one screen or two.
func TestExplainIsBounded(t *testing.T) {
	t.Parallel()
	many := func(n int, member func(i int) string) string {
		members := make([]string, n)
		for i := range members {
			members[i] = member(i)
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	base := func(i int) string { return strconv.Itoa(100000+i) + ".01" }
	for name, file := range map[string]string{
		"entries":    `{"hotfixes":` + many(40_000, func(i int) string { return `"` + base(i) + `":"` + base(i) + `.1"` }) + "}",
		"left out":   `{"hotfixes":` + many(60_000, func(i int) string { return `"` + strings.Repeat("\\u001b", 5) + strconv.Itoa(i) + `":1` }) + "}",
		"members":    many(60_000, func(i int) string { return `"` + strings.Repeat("x", 50) + strconv.Itoa(i) + `":1` }),
		"same names": many(60_000, func(int) string { return `"version":"202604.01.1"` }),
		"folded":     many(60_000, func(int) string { return `"Version":"202604.01.1"` }),
		"too many":   many(70_000, func(int) string { return `"hotfixes":{}` }),
		"long name":  `{"` + strings.Repeat("é", 1<<20) + `":1}`,
		"deep":       `{"a":` + strings.Repeat("[", 1<<20),
		"too large":  `{"a":"` + strings.Repeat("x", 4<<20) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := explainFile(newPointerFile(t, file), base(30_000)+".0")
			printed := asJSON(t, e)
			assert.Less(t, len(printed), 16<<10)
			assert.Less(t, len(e.text(terminal{})), 16<<10)
			assert.NoError(t, checkJSON("explain", string(printed)))
			if name == "entries" {
				assert.True(t, e.WouldUpgrade)
				assert.Len(t, e.Entries, maxListed+1, "this node's is listed always")
				assert.Equal(t, 40_000-maxListed-1, e.EntriesOmitted)
			}
		})
	}
}

// Whatever is in the file, explain says something, and nothing that a terminal would obey.
func FuzzExplain(f *testing.F) {
	for _, tt := range ruleCases {
		f.Add(tt.file, tt.current)
	}
	f.Add("{\"\x1b[31m\":\"\\u009b\",\"hotfixes\":{\"\xff\":\"\u202e\"},\"scripts_version\":\"\u0085\"}", "\x1b]0;")
	f.Fuzz(func(t *testing.T, file, current string) {
		e := newExplanation("pointer.json", current)
		e.explainBytes([]byte(file))
		e.Explanation = e.sentence()
		require.NoError(t, checkJSON("explain", string(asJSON(t, e))))
		for _, line := range strings.Split(e.text(terminal{}), "\n") {
			require.Equal(t, strconv.Quote(line), `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(line)+`"`)
		}
	})
}
