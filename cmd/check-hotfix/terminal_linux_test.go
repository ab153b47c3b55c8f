package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openTerminal returns the two ends of a terminal.
func openTerminal(t *testing.T, columns uint16) (screen, tty *os.File) {
	t.Helper()
	screen, tty, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { screen.Close(); tty.Close() })
	require.NoError(t, pty.Setsize(screen, &pty.Winsize{Rows: 40, Cols: columns}))
	return screen, tty
}

// onTerminal runs a command on a terminal, and returns what the terminal was sent.
func (m *machine) onTerminal(columns uint16, env []string, cmd *exec.Cmd) string {
	m.t.Helper()
	screen, tty := openTerminal(m.t, columns)
	cmd.Env = append(m.env, env...)
	cmd.Stdout = tty
	shown := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(screen) // ends with EIO when the last tty is closed
		shown <- b
	}()
	err := cmd.Run()
	require.NoError(m.t, tty.Close())
	text := <-shown
	require.NoError(m.t, err)
	return string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	_, tty := openTerminal(t, 97)
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	defer file.Close()
	none, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer none.Close()
	xterm := map[string]string{"TERM": "xterm"}
	for name, tt := range map[string]struct {
		w    io.Writer
		env  map[string]string
		want terminal
	}{
		"terminal":       {tty, xterm, terminal{colours: true, width: 97}},
		"NO_COLOR":       {tty, map[string]string{"TERM": "xterm", "NO_COLOR": "0"}, terminal{width: 97}},
		"NO_COLOR empty": {tty, map[string]string{"TERM": "xterm", "NO_COLOR": ""}, terminal{colours: true, width: 97}},
		"dumb":           {tty, map[string]string{"TERM": "dumb"}, terminal{width: 97}},
		"no TERM":        {tty, nil, terminal{width: 97}},
		"file":           {file, xterm, terminal{}},
		"device":         {none, xterm, terminal{}},
		"buffer":         {new(bytes.Buffer), xterm, terminal{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := newTerminal(tt.w, func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok })
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestPaint(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "\x1b[32myes\x1b[0m", terminal{colours: true}.paint(green, "yes"))
	assert.Empty(t, terminal{colours: true}.paint(green, ""))
	assert.Equal(t, "yes", terminal{width: 80}.paint(green, "yes"))
}

// On a terminal the result has colours, unless the environment wants none; on a pipe it has none.
func TestResultOnATerminal(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	args := []string{"--output", "text", "--current-version", "202604.01.0"}
	assert.Contains(t, m.onTerminal(97, []string{"TERM=xterm"}, m.command(args...)), "\x1b[32mlpsRead\x1b[0m: the service has hotfix")
	for _, env := range []string{"TERM=dumb", "NO_COLOR=1"} {
		shown := m.onTerminal(97, []string{"TERM=xterm", env}, m.command(args...))
		assert.Contains(t, shown, "lpsRead: the service has hotfix")
		assert.NotContains(t, shown, "\x1b", env)
	}
	cmd := m.command(args...)
	cmd.Env = append(m.env, "TERM=xterm")
	piped, err := cmd.Output()
	require.NoError(t, err)
	assert.NotContains(t, string(piped), "\x1b")
}
