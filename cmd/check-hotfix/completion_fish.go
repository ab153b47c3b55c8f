package main

import (
	"fmt"
	"strings"
)

// writeFish writes one line per command and flag, the way fish has it.
func writeFish(b *strings.Builder) {
	b.WriteString("# fish completion for check-hotfix; made by: check-hotfix completion fish\n\n" +
		"complete -c check-hotfix -f\n")
	names := strings.Join(commandNames(), " ")
	none := "not __fish_seen_subcommand_from " + names
	for _, c := range commands()[1:] {
		fmt.Fprintf(b, "complete -c check-hotfix -n '%s' -a %s -d %s\n", none, c.name, quoteShell(c.summary))
	}
	for _, c := range commands() {
		when := none
		if c.name != "" {
			when = "__fish_seen_subcommand_from " + c.name
		}
		if c.operand != nil {
			fmt.Fprintf(b, "complete -c check-hotfix -n '%s' -a %s\n", when, quoteShell(strings.Join(c.operand.of(), " ")))
		}
		for _, f := range flagsOf(c) {
			fmt.Fprintf(b, "complete -c check-hotfix -n '%s' -l %s%s -d %s\n", when, f.Name, fishValue(f.takes), quoteShell(usageOf(f.Flag)))
		}
	}
	b.WriteString("complete -c check-hotfix -l help -d 'print the help'\n")
}

// fishValue is what follows the flag.
func fishValue(v flagValue) string {
	switch v.name {
	case "":
		return ""
	case valueFile:
		return " -r -F"
	case valueFolder:
		return " -x -a '(__fish_complete_directories)'"
	default:
		return " -x -a " + quoteShell(strings.Join(v.of, " "))
	}
}
