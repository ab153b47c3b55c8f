package main

import (
	"context"
	"io"
	"strings"
	"time"
)

func completionCommand() command {
	return command{
		name:    "completion",
		summary: "print what completes command lines in a shell",
		description: "check-hotfix completion prints a script with which a shell completes commands, flags and their values. Packages\n" +
			"bring it along; the examples are for who has only the binary.",
		examples: []example{
			{"source <(check-hotfix completion bash)", "in ~/.bashrc, or in this shell"},
			{`source <(check-hotfix completion zsh)`, "in ~/.zshrc, after compinit"},
			{"check-hotfix completion fish | source", "in ~/.config/fish/config.fish"},
		},
		operand: &operand{name: "shell", of: shells},
		limit:   func(*settings) time.Duration { return watchdogMargin },
		failed:  1, misused: 2,
		run: func(_ context.Context, s *settings, stdout, _ io.Writer) int {
			var b strings.Builder
			switch s.operand {
			case "bash":
				writeBash(&b)
			case "zsh":
				writeZsh(&b)
			case "fish":
				writeFish(&b)
			}
			return printText(stdout, b.String())
		},
	}
}

func shells() []string { return []string{"bash", "zsh", "fish"} }

// printText prints and returns the exit status of a command for people.
func printText(stdout io.Writer, text string) int {
	if _, err := io.WriteString(stdout, text); err != nil {
		return 1
	}
	return 0
}

// flagWords are the flags of a command as they are typed.
func flagWords(c command) string {
	words := []string{}
	for _, f := range flagsOf(c) {
		words = append(words, "--"+f.Name)
	}
	return strings.Join(append(words, "--help"), " ")
}

// quoteShell quotes text that has no backslash, for all three shells.
func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
