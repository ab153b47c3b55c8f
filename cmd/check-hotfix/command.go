package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// command is one thing that the program does. The help, the man page and the completion are made of it.
type command struct {
	// name is what selects it on the command line; the check itself has none.
	name string
	// summary is one line for the list of commands, and description the paragraphs of its own help.
	summary, description string
	examples             []example
	// bind gives the command its flags, or is nil.
	bind func(*settings, *flag.FlagSet)
	// operand is what the command takes beside flags, or nil.
	operand *operand
	// limit is the most that the whole process may take with these settings.
	limit func(*settings) time.Duration
	// failed and misused are the exit statuses when the command cannot do its work, and when it was asked wrongly.
	failed, misused int
	// exits says when the exit status is what. The default is said by exitWords.
	exits string
	run   func(ctx context.Context, s *settings, stdout, stderr io.Writer) (exitStatus int)
}

// operand is an argument with a fixed set of values.
type operand struct {
	name     string
	of       func() []string
	optional bool
}

// example is a command line and what it is for.
type example struct{ line, purpose string }

// commands returns all of them, the check first.
func commands() []command {
	return []command{checkCommand(), probeCommand(), explainCommand(), helpCommand(), completionCommand(), manCommand(), versionCommand()}
}

// commandNames returns what selects each command but the check.
func commandNames() []string {
	var names []string
	for _, c := range commands()[1:] {
		names = append(names, c.name)
	}
	return names
}

// findCommand returns the command that args select, and its arguments.
func findCommand(args []string) (command, []string) {
	all := commands()
	if len(args) > 0 {
		for _, c := range all[1:] {
			if c.name == args[0] {
				return c, args[1:]
			}
		}
	}
	return all[0], args
}

// flagSet returns the command's flags, bound to s.
func (c command) flagSet(s *settings) *flag.FlagSet {
	f := flag.NewFlagSet(c.fullName(), flag.ContinueOnError)
	f.SetOutput(io.Discard)
	if c.bind != nil {
		c.bind(s, f)
	}
	return f
}

// fullName is how the command is called.
func (c command) fullName() string {
	if c.name == "" {
		return programName
	}
	return programName + " " + c.name
}

// exitWords says when the exit status is what.
func (c command) exitWords() string {
	switch {
	case c.exits != "":
		return c.exits
	case c.failed == 0 && c.misused == 0:
		return "0 in every case."
	default:
		return fmt.Sprintf("0; %d if that failed, %d for wrong flags or arguments.", c.failed, c.misused)
	}
}

// start reads the settings, runs the command and returns its exit status.
func (c command) start(ctx context.Context, dog *watchdog, args []string, env lookupEnv, stdout, stderr io.Writer) int {
	s, err := parseSettings(c, args, env)
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(stdout, c)
		return 0
	case err != nil:
		usageError(stderr, c, err)
		return c.misused
	}
	dog.extend(c.limit(s))
	return c.run(ctx, s, stdout, stderr)
}

func usageError(stderr io.Writer, c command, err error) {
	fmt.Fprintf(stderr, "check-hotfix: %v\ncheck-hotfix: nothing was done; see %s --help\n", err, c.fullName())
}

func versionCommand() command {
	return command{
		name:    "version",
		summary: "print the version",
		limit:   func(*settings) time.Duration { return watchdogMargin },
		run: func(_ context.Context, _ *settings, stdout, _ io.Writer) int {
			fmt.Fprintln(stdout, version)
			return 0
		},
	}
}
