package main

import (
	"fmt"
	"io"
)

// report writes what was measured as tables in Markdown.
type report struct {
	io.Writer
	programs []program
	rounds   int
}

func (r report) printf(format string, args ...any) { fmt.Fprintf(r, format, args...) }

// report writes all that was measured.
func (b bench) report(out io.Writer, measured []*measurement) error {
	r := report{out, b.programs, b.rounds}
	r.printf("%s.\nMedians, with quartiles, of %d rounds after %d to warm up. Nodes in memory are on %s, those on disk on %s.\n\n",
		machine(), b.rounds, b.warmUp, fileSystem(b.memory), fileSystem(b.disk))
	var onLoopback *measurement
	for _, m := range measured {
		if m.scenario.name == loopbackName {
			onLoopback = m
		}
	}
	for _, m := range measured {
		r.table(m)
		if m.scenario.distant() && onLoopback != nil {
			r.bounds(m, onLoopback)
		}
	}
	if onLoopback != nil {
		if err := r.targets(onLoopback); err != nil {
			return err
		}
	}
	return r.sizes()
}
