package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// completeCases are command lines that end where the cursor is, and what is proposed there. The folder has the files
// "a file.json" and "alone.json" and the folder "around".
var completeCases = map[string]struct {
	line string
	want []string
}{
	"a command":             {"check-hotfix exp", []string{"explain"}},
	"all commands":          {"check-hotfix ", commandNames()},
	"flags are left":        {"check-hotfix version ", []string{"--help"}},
	"a flag":                {"check-hotfix --out", []string{"--output"}},
	"a flag of a command":   {"check-hotfix explain --p", []string{"--pointer"}},
	"no flag of another":    {"check-hotfix explain --dry", nil},
	"help is everywhere":    {"check-hotfix version --h", []string{"--help"}},
	"a value":               {"check-hotfix --output j", []string{"json"}},
	"all values":            {"check-hotfix explain --output ", []string{"text", "json"}},
	"a value behind a sign": {"check-hotfix --output=j", []string{"json"}},
	"values behind a sign":  {"check-hotfix --log-level=", []string{"debug", "info", "warn", "error"}},
	"a transport":           {"check-hotfix --dry-run --transport h", []string{"https"}},
	"no value is known":     {"check-hotfix --timeout ", nil},
	"after a switch":        {"check-hotfix --dry-run --tra", []string{"--transport"}},
	"a shell":               {"check-hotfix completion ", []string{"bash", "zsh", "fish"}},
	"a command to explain":  {"check-hotfix help man", []string{"man"}},
	"a file":                {"check-hotfix --pointer al", []string{"alone.json"}},
	"a file with a blank":   {"check-hotfix --pointer a", []string{"a file.json", "alone.json", "around"}},
	"a folder":              {"check-hotfix --events-dir a", []string{"around"}},
}

// completionFolder is where the cases are completed.
func completionFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a file.json", "alone.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "around"), 0o700))
	return dir
}

// bashWords splits a line as bash does for COMP_WORDS, where "=" is a word of its own.
func bashWords(line string) string {
	var quoted []string
	for _, word := range strings.Split(strings.ReplaceAll(line, "=", " = "), " ") {
		quoted = append(quoted, fmt.Sprintf("%q", word))
	}
	if strings.HasSuffix(line, "=") { // the cursor is in the sign itself
		quoted = quoted[:len(quoted)-1]
	}
	return strings.Join(quoted, " ")
}

// The script is sourced in a real bash, and the function called as bash calls it.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	script, err := exec.Command(binary, "completion", "bash").Output()
	require.NoError(t, err)
	dir := completionFolder(t)
	for name, tt := range completeCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(bash, "--norc", "-uc", string(script)+fmt.Sprintf(
				"COMP_WORDS=(%s)\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_check_hotfix\nprintf '%%s\\n' \"${COMPREPLY[@]}\"\ncomplete -p check-hotfix >&2",
				bashWords(tt.line)))
			cmd.Dir = dir
			var registered strings.Builder
			cmd.Stderr = &registered

			out, err := cmd.Output()

			require.NoError(t, err, "%s", &registered)
			assert.ElementsMatch(t, tt.want, strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }))
			assert.Equal(t, "complete -F _check_hotfix check-hotfix\n", registered.String())
		})
	}
}

// Every flag, environment variable and command is in the help, in the man page and in the completions.
func TestNothingIsLeftOutOfTheHelp(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for name, args := range map[string]string{"man": "man", "bash": "completion bash", "zsh": "completion zsh", "fish": "completion fish"} {
		out, err := exec.Command(binary, strings.Fields(args)...).Output()
		require.NoError(t, err)
		texts[name] = strings.ReplaceAll(string(out), `\-`, "-")
	}
	for _, c := range commands() {
		out, err := exec.Command(binary, append(strings.Fields(c.name), "--help")...).Output()
		require.NoError(t, err)
		assert.Contains(t, string(out), "Exit status:\n  "+strings.Split(c.exitWords(), "\n")[0])
		for _, f := range flagsOf(c) {
			assert.Contains(t, string(out), "\n  --"+f.Name, c.fullName())
			assert.Contains(t, string(out), usageOf(f.Flag))
			assert.Contains(t, string(out), envName(f.Name))
		}
		if c.name != "" {
			assert.Contains(t, texts["man"], ".TP\n\\fB\\&"+c.name+"\\fR\n", "under COMMANDS")
			assert.Contains(t, texts["bash"], "\n    "+c.name+")\n")
			assert.Contains(t, texts["zsh"], "\n        "+quoteShell(c.name+":"+c.summary))
			assert.Contains(t, texts["zsh"], "\n    "+c.name+")\n")
			assert.Contains(t, texts["fish"], " -a "+c.name+" -d "+quoteShell(c.summary))
		}
		for _, e := range c.examples {
			assert.Contains(t, string(out), e.line)
			assert.Contains(t, texts["man"], strings.ReplaceAll(e.line, "'", `\(aq`))
		}
	}
	for _, f := range allFlags() {
		assert.Contains(t, texts["man"], "--"+f.Name)
		assert.Contains(t, texts["man"], envName(f.Name))
		assert.Contains(t, texts["bash"], "--"+f.Name+" ")
		assert.Contains(t, texts["zsh"], "--"+f.Name)
		assert.Contains(t, texts["fish"], "-l "+f.Name+" ")
	}
	help, err := exec.Command(binary, "help").Output()
	require.NoError(t, err)
	for _, c := range commands() {
		assert.Contains(t, string(help), "\n  "+usageLine(c))
	}
}

// A flag that several commands have means the same in each: the completion of its value and the man page have it once.
func TestFlagsMeanTheSameInEveryCommand(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		for _, f := range flagsOf(c) {
			own := c.flagSet(new(settings)).Lookup(f.Name)
			require.NotNil(t, own)
			assert.Equal(t, f.takes, valueOf(own), f.Name)
			assert.Equal(t, f.Usage, own.Usage, f.Name)
			assert.Equal(t, f.DefValue, own.DefValue, f.Name)
		}
	}
}

// Text of the table that a shell would read as something else.
func TestTheTableSuitsEveryShell(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		assert.NotContains(t, c.summary, `\`)
		for _, f := range flagsOf(c) {
			assert.NotContains(t, f.Usage, `\`)
		}
	}
	assert.Equal(t, `'node'\''s'`, quoteShell("node's"))
	assert.Equal(t, `a\: \[b\]`, escapeZsh("a: [b]"))
}
