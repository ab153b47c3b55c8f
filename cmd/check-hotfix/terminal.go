package main

import (
	"io"
	"os"
)

// terminal is what the place that text goes to can show. The zero value is a pipe or a file: plain text.
type terminal struct {
	colours bool
	// width is in columns, and 0 where it is not known.
	width int
}

// newTerminal looks at where w leads. The environment may want no colours: NO_COLOR with any value but the empty one
// (no-color.org), and TERM for a terminal that has none.
func newTerminal(w io.Writer, env lookupEnv) terminal {
	f, ok := w.(*os.File)
	if !ok {
		return terminal{}
	}
	width, ok := terminalWidth(f)
	if !ok {
		return terminal{}
	}
	noColour, _ := env("NO_COLOR")
	term, _ := env("TERM")
	return terminal{colours: noColour == "" && term != "" && term != "dumb", width: width}
}

// The styles, as parameters of SGR (ECMA-48).
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// paint returns text in a style, where the terminal has colours.
func (t terminal) paint(style, text string) string {
	if !t.colours || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}
