package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal returns both ends of a terminal: where somebody types, and what a program reads.
func terminal(t *testing.T) (keyboard, stdin *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = keyboard.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	stdin, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = stdin.Close() })
	return keyboard, stdin
}

// Ctrl-D at the keyboard is quit.
func TestEndOfATerminal(t *testing.T) {
	t.Parallel()
	keyboard, stdin := terminal(t)
	assert.True(t, isTerminal(stdin))
	_, err := keyboard.WriteString("down\n\x04")
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer

	status := run(t.Context(), []string{"--dir", t.TempDir()}, stdin, &stdout, &stderr)

	assert.Equal(t, exitEnded, status)
	assert.Contains(t, stdout.String(), "now: down\n")
	assert.Empty(t, stderr.String())
}

func TestNoTerminals(t *testing.T) {
	t.Parallel()
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer file.Close()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	defer writer.Close()
	for _, f := range []*os.File{file, null, reader} {
		assert.False(t, isTerminal(f), f.Name())
	}
}
