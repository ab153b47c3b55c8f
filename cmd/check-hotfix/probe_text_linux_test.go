package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// probeOnTerminal runs the probe on a terminal of that width, and returns what the terminal was sent.
func (m *machine) probeOnTerminal(columns uint16, env ...string) string {
	m.t.Helper()
	return m.onTerminal(columns, env, m.probe())
}

func TestProbeOnATerminal(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const xterm = "TERM=xterm-256color"

	colours := m.probeOnTerminal(100, xterm)
	assert.Contains(t, colours, "\x1b[32mok     \x1b[0m  config")
	assert.Regexp(t, "\x1b\\[32;7m +\x1b\\[0m *\\|\n", colours, "bars are stretches of background")
	assert.Contains(t, colours, "\x1b[1;32mHEALTHY\x1b[0m")
	assert.NotContains(t, sgr.ReplaceAllString(colours, ""), "\x1b", "nothing but colours")

	for name, env := range map[string][]string{"NO_COLOR": {xterm, "NO_COLOR=1"}, "dumb": {"TERM=dumb"}} {
		plain := m.probeOnTerminal(100, env...)
		assert.NotContains(t, plain, "\x1b", name)
		assert.Regexp(t, `\| *=+ *\|`, plain, name)
	}

	for _, columns := range []int{60, 80, 200} {
		for line := range strings.Lines(sgr.ReplaceAllString(m.probeOnTerminal(uint16(columns), xterm), "")) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), max(columns, longestWord(line)+len(indent)), line)
		}
	}
	assert.NotContains(t, m.probeOnTerminal(50, xterm), "|", "no room for bars")
}

// longestWord is the length of what cannot be broken.
func longestWord(line string) int {
	longest := 0
	for word := range strings.FieldsSeq(line) {
		longest = max(longest, utf8.RuneCountInString(word))
	}
	return longest
}
