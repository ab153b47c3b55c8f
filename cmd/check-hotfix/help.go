package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

func helpCommand() command {
	return command{
		name:     "help",
		summary:  "print the help of a command, of the check if none is named",
		examples: []example{{"check-hotfix help explain", "the same as check-hotfix explain --help"}},
		operand:  &operand{name: "command", of: commandNames, optional: true},
		limit:    func(*settings) time.Duration { return watchdogMargin },
		failed:   1, misused: 2,
		run: func(_ context.Context, s *settings, stdout, _ io.Writer) int {
			c, _ := findCommand([]string{s.operand})
			printHelp(stdout, c)
			return 0
		},
	}
}

// printHelp writes the help of a command; that of the check lists the other commands too.
func printHelp(w io.Writer, c command) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n", c.about())
	if c.name == "" {
		for _, other := range commands() {
			fmt.Fprintf(&b, "  %-38s %s\n", usageLine(other), other.summary)
		}
	} else {
		fmt.Fprintf(&b, "  %s\n", usageLine(c))
	}
	if len(c.examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, e := range c.examples {
			fmt.Fprintf(&b, "  %-55s %s\n", e.line, e.purpose)
		}
	}
	if c.bind != nil {
		b.WriteString("\nFlags, with their environment variables; the command line wins:\n")
		c.flagSet(new(settings)).VisitAll(func(f *flag.Flag) { writeFlag(&b, f) })
	}
	fmt.Fprintf(&b, "\nExit status:\n  %s\n", strings.ReplaceAll(c.exitWords(), "\n", "\n  "))
	io.WriteString(w, b.String())
}

// about is what a command is, in paragraphs.
func (c command) about() string {
	if c.description != "" {
		return c.description
	}
	return strings.ToUpper(c.summary[:1]) + c.summary[1:] + "."
}

// usageLine is how a command is called.
func usageLine(c command) string {
	line := c.fullName()
	if c.operand != nil {
		if c.operand.optional {
			line += " [" + c.operand.name + "]"
		} else {
			line += " " + strings.Join(c.operand.of(), "|")
		}
	}
	if c.bind != nil {
		line += " [flags]"
	}
	return line
}

// writeFlag writes a flag's lines in the help.
func writeFlag(b *strings.Builder, f *flag.Flag) {
	name, usage := flag.UnquoteUsage(f)
	fmt.Fprintf(b, "  %s\n        %s", strings.TrimSpace("--"+f.Name+" "+name), usage)
	if byDefault := defaultOf(f); byDefault != "" {
		fmt.Fprintf(b, " (default %s)", byDefault)
	}
	if env := envName(f.Name); env != "" {
		fmt.Fprintf(b, "\n        %s", env)
	}
	b.WriteByte('\n')
}

// defaultOf returns a flag's default, "" where there is none to speak of.
func defaultOf(f *flag.Flag) string {
	if f.DefValue == "false" {
		return ""
	}
	return f.DefValue
}
