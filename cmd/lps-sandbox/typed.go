package main

import (
	"fmt"
	"strings"
)

// parseFault returns the fault that line names, and what follows the name.
func parseFault(line string) (fault, string, error) {
	word, rest := cutWord(line)
	second, afterSecond := cutWord(rest)
	var names []string
	for _, group := range faults() {
		for _, f := range group.faults {
			switch head, _, _ := strings.Cut(f.name, " "); {
			case f.name == word:
				return f, rest, nil
			case f.name == word+" "+second:
				return f, afterSecond, nil
			case head == word:
				names = append(names, f.usage())
			}
		}
	}
	if len(names) > 0 {
		return fault{}, "", fmt.Errorf("%.40q is one of: %s", word, strings.Join(names, ", "))
	}
	return fault{}, "", fmt.Errorf("there is no %.40q", word)
}

// cutWord returns the first word of s, and the rest without the blanks around it.
func cutWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

// usage returns how the fault is typed.
func (f fault) usage() string { return strings.TrimSpace(f.name + " " + f.args) }

// unquote takes off the single quotes that people type out of habit.
func unquote(s string) string {
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return s[1 : len(s)-1]
	}
	return s
}
