package main

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// printHelp writes the help of a command; that of the check lists the other commands too.
func printHelp(w io.Writer, c command) {
	var b strings.Builder
	description := c.description
	if description == "" {
		description = c.fullName() + ": " + c.summary + "."
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n", description)
	if c.name == "" {
		for _, other := range commands() {
			fmt.Fprintf(&b, "  %-28s %s\n", usageLine(other), other.summary)
		}
	} else {
		fmt.Fprintf(&b, "  %s\n", usageLine(c))
	}
	if len(c.examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, e := range c.examples {
			fmt.Fprintf(&b, "  %-48s %s\n", e.line, e.purpose)
		}
	}
	if c.bind != nil {
		b.WriteString("\nFlags, with their environment variables; the command line wins:\n")
		c.flagSet(new(settings)).VisitAll(func(f *flag.Flag) { writeFlag(&b, f) })
	}
	io.WriteString(w, b.String())
}

// usageLine is how a command is called.
func usageLine(c command) string {
	if c.bind == nil {
		return c.fullName()
	}
	return c.fullName() + " [flags]"
}

// writeFlag writes a flag's lines in the help.
func writeFlag(b *strings.Builder, f *flag.Flag) {
	name, usage := flag.UnquoteUsage(f)
	fmt.Fprintf(b, "  %s\n        %s", strings.TrimSpace("--"+f.Name+" "+name), usage)
	switch f.DefValue {
	case "", "false":
	case slog.LevelInfo.String():
		b.WriteString(" (default info)")
	default:
		fmt.Fprintf(b, " (default %s)", f.DefValue)
	}
	if env := envName(f.Name); env != "" {
		fmt.Fprintf(b, "\n        %s", env)
	}
	b.WriteByte('\n')
}
