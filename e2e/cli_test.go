//go:build e2e

package e2e_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// printed is what check-hotfix prints with these arguments.
func printed(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(binary, args...).Output()
	require.NoError(t, err)
	return out
}

func TestCompletionScriptsParse(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := writeFile(t, "completion", printed(t, "completion", shell))
		out, err := exec.Command(installed(t, shell), "-n", script).CombinedOutput()
		assert.NoErrorf(t, err, "%s: %s", shell, out)
		assert.Emptyf(t, string(out), shell)
	}
}

// What bash does with a line, a key and the registered function, as a person at a prompt has it.
const bashKeys = `
PS1=
source "$SCRIPT"
show() { printf '%s\n' "$READLINE_LINE" >>"$ANSWERS"; READLINE_LINE=; }
bind -x '"\C-g": show'
`

const zshKeys = `
PS1=
autoload -Uz compinit && compinit -D -u
source "$SCRIPT"
show() { print -r -- "$BUFFER" >>"$ANSWERS"; BUFFER=; }
zle -N show
bindkey '^G' show
`

// completed returns what becomes of each line at a shell's prompt when the tab key is pressed at its end.
func completed(t *testing.T, shell, keys string, lines []string, args ...string) []string {
	t.Helper()
	dir := t.TempDir()
	answers := filepath.Join(dir, "answers")
	cmd := exec.Command(installed(t, shell), args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "TERM=dumb", "HOME=" + dir, "ANSWERS=" + answers,
		"SCRIPT=" + writeFile(t, "completion", printed(t, "completion", shell))}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hotfix.json"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys"), []byte(keys), 0o600))
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	require.NoError(t, err)
	defer terminal.Close()
	shown := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(terminal) // ends with EIO when the shell does
		shown <- b
	}()

	_, err = io.WriteString(terminal, "source ./keys\n")
	require.NoError(t, err)
	for _, line := range lines {
		_, err = io.WriteString(terminal, line+"\t\a")
		require.NoError(t, err)
	}
	_, err = io.WriteString(terminal, "exit\n")
	require.NoError(t, err)

	screen := <-shown
	assert.NoError(t, cmd.Wait(), "%s", screen)
	b, err := os.ReadFile(answers)
	require.NoError(t, err, "%s", screen)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// A person types, and presses tab where one thing is left to come.
func TestCompletionAtThePrompt(t *testing.T) {
	t.Parallel()
	lines := map[string]string{
		"check-hotfix expl":                        "check-hotfix explain ",
		"check-hotfix explain --outp":              "check-hotfix explain --output",
		"check-hotfix --output j":                  "check-hotfix --output json ",
		"check-hotfix --dry-run --transport h":     "check-hotfix --dry-run --transport https ",
		"check-hotfix completion f":                "check-hotfix completion fish ",
		"check-hotfix explain --pointer hot":       "check-hotfix explain --pointer hotfix.json ",
		"check-hotfix explain --dry-r":             "check-hotfix explain --dry-r", // it has no such flag
		"check-hotfix explain --output=js":         "check-hotfix explain --output=json ",
		"check-hotfix --output json --current-ver": "check-hotfix --output json --current-version",
	}
	var typed, want []string
	for line, completed := range lines {
		typed, want = append(typed, line), append(want, strings.TrimSpace(completed))
	}
	for shell, run := range map[string]struct {
		keys string
		args []string
	}{
		"bash": {bashKeys, []string{"--norc", "--noprofile", "-i"}},
		"zsh":  {zshKeys, []string{"-f", "-i"}},
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			got := completed(t, shell, run.keys, typed, run.args...)
			for i, line := range got { // shells differ in what they put behind a word
				got[i] = strings.TrimRight(line, " =")
			}
			assert.Equal(t, want, got)
		})
	}
}

func TestCompletionInFish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hotfix.json"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "hotel"), 0o700))
	script := writeFile(t, "completion", printed(t, "completion", "fish"))
	for line, want := range map[string][]string{
		"check-hotfix expl":                  {"explain"},
		"check-hotfix --out":                 {"--output"},
		"check-hotfix explain --output ":     {"json", "text"},
		"check-hotfix explain --output=j":    {"--output=json"},
		"check-hotfix --transport h":         {"https"},
		"check-hotfix explain --dry":         nil,
		"check-hotfix version hot":           nil,
		"check-hotfix completion ":           {"bash", "fish", "zsh"},
		"check-hotfix explain --pointer hot": {"hotel/", "hotfix.json"},
		"check-hotfix --events-dir hot":      {"hotel/"},
	} {
		cmd := exec.Command(installed(t, "fish"), "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, line)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		var got []string
		for proposal := range strings.SplitSeq(strings.TrimSuffix(string(out), "\n"), "\n") {
			if word, _, _ := strings.Cut(proposal, "\t"); word != "" {
				got = append(got, word)
			}
		}
		assert.Equal(t, want, got, line)
	}
}

// The formatters warn of nothing, and show what there is.
func TestManPage(t *testing.T) {
	t.Parallel()
	page := printed(t, "man")
	for name, args := range map[string][]string{
		"mandoc -T lint": {"mandoc", "-T", "lint", "-W", "warning"},
		"mandoc":         {"mandoc", "-T", "utf8", "-W", "warning"},
		"groff":          {"groff", "-man", "-ww", "-T", "utf8"},
	} {
		cmd := exec.Command(installed(t, args[0]), args[1:]...)
		cmd.Stdin = bytes.NewReader(page)
		var warnings bytes.Buffer
		cmd.Stderr = &warnings
		out, err := cmd.Output()
		assert.NoError(t, err, "%s: %s%s", name, out, &warnings)
		assert.Empty(t, warnings.String(), name)
		if name != "mandoc -T lint" {
			assert.Contains(t, string(out), "202604.01.0", name)
			assert.Contains(t, string(out), "/opt/azure/containers/aks-node-controller-hotfix.json", name)
		}
	}
}
