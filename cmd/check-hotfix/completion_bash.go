package main

import (
	"fmt"
	"strings"
)

// writeBash writes a function for bash. It needs nothing of the package bash-completion, which a node need not have.
func writeBash(b *strings.Builder) {
	b.WriteString(`# bash completion for check-hotfix; made by: check-hotfix completion bash

_check_hotfix() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' words='' flags
    # bash takes --flag=value for three words.
    if [[ $cur == = ]]; then
        cur=''
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
    COMPREPLY=()
    case $prev in
`)
	for _, f := range allFlags() {
		switch {
		case f.takes.name == "":
			continue
		case f.takes.name == valueFile:
			writeBashPaths(b, f.Name, "-f")
		case f.takes.name == valueFolder:
			writeBashPaths(b, f.Name, "-d")
		default: // without values to choose from, nothing is proposed
			fmt.Fprintf(b, "    --%s)\n        mapfile -t COMPREPLY < <(compgen -W %s -- \"$cur\")\n        return ;;\n",
				f.Name, quoteShell(strings.Join(f.takes.of, " ")))
		}
	}
	b.WriteString("    esac\n    case $command in\n")
	for _, c := range commands()[1:] {
		fmt.Fprintf(b, "    %s)\n        flags=%s\n", c.name, quoteShell(flagWords(c)))
		if c.operand != nil {
			fmt.Fprintf(b, "        words=%s\n", quoteShell(strings.Join(c.operand.of(), " ")))
		}
		b.WriteString("        ;;\n")
	}
	fmt.Fprintf(b, "    *) flags=%s ;;\n    esac\n", quoteShell(flagWords(checkCommand())))
	fmt.Fprintf(b, "    ((COMP_CWORD == 1)) && words=%s\n", quoteShell(strings.Join(commandNames(), " ")))
	b.WriteString(`    [[ $cur == -* || -z $words ]] && words=$flags
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _check_hotfix check-hotfix
`)
}

func writeBashPaths(b *strings.Builder, flagName, kind string) {
	fmt.Fprintf(b, "    --%s)\n        compopt -o filenames 2>/dev/null\n"+
		"        mapfile -t COMPREPLY < <(compgen %s -- \"$cur\")\n        return ;;\n", flagName, kind)
}
