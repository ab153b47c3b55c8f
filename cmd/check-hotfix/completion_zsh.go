package main

import (
	"fmt"
	"strings"
)

// writeZsh writes a function for zsh's completion system. It works sourced, and as the file _check-hotfix in fpath.
func writeZsh(b *strings.Builder) {
	b.WriteString("#compdef check-hotfix\n# zsh completion for check-hotfix; made by: check-hotfix completion zsh\n\n" +
		"_check-hotfix() {\n    local -a commands=(\n")
	for _, c := range commands()[1:] {
		fmt.Fprintf(b, "        %s\n", quoteShell(c.name+":"+c.summary))
	}
	b.WriteString("    )\n    case ${words[2]} in\n")
	for _, c := range commands()[1:] {
		fmt.Fprintf(b, "    %s)\n        shift words\n        ((CURRENT--))\n        _arguments", c.name)
		if c.operand != nil {
			fmt.Fprintf(b, " \\\n            %s", quoteShell("1:"+c.operand.name+":("+strings.Join(c.operand.of(), " ")+")"))
		}
		writeZshFlags(b, c)
	}
	b.WriteString("    *)\n        ((CURRENT == 2)) && _describe command commands\n        _arguments")
	writeZshFlags(b, checkCommand())
	b.WriteString(`    esac
}

if [[ ${funcstack[1]} == _check-hotfix ]]; then
    _check-hotfix "$@"
else
    compdef _check-hotfix check-hotfix
fi
`)
}

// writeZshFlags ends a call of _arguments with the command's flags.
func writeZshFlags(b *strings.Builder, c command) {
	for _, f := range flagsOf(c) {
		spec := "--" + f.Name
		if _, repeats := f.Value.(*transportNames); repeats {
			spec = "*" + spec
		}
		if f.takes.name != "" {
			spec += "="
		}
		spec += "[" + escapeZsh(usageOf(f.Flag)) + "]"
		switch {
		case f.takes.name == "":
		case f.takes.name == valueFile:
			spec += ":file:_files"
		case f.takes.name == valueFolder:
			spec += ":folder:_files -/"
		default:
			spec += ":" + escapeZsh(f.takes.name) + ":(" + strings.Join(f.takes.of, " ") + ")"
		}
		fmt.Fprintf(b, " \\\n            %s", quoteShell(spec))
	}
	fmt.Fprintf(b, " \\\n            %s\n        ;;\n", quoteShell("(- *)--help[print the help]"))
}

// escapeZsh escapes what would end a description of _arguments.
func escapeZsh(text string) string {
	return strings.NewReplacer(`[`, `\[`, `]`, `\]`, `:`, `\:`).Replace(text)
}
