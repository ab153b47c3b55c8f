package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable returns text as it can stand on a terminal: as it is, or quoted if there is anything in it that does not
// print, such as an escape sequence.
func printable(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return text
	}
	return strconv.Quote(text)
}

// cut returns the first bytes of text where it has more than limit.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// wrap breaks text between words where a line would pass the width of the terminal, and indents all lines but the
// first, which has indent columns before it already.
func (t terminal) wrap(text string, indent int) string {
	room := t.width - indent
	if room < 20 { // not known, or so narrow that the terminal may as well break lines
		return text
	}
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(text, " ") {
		size := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+size > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += size
	}
	return b.String()
}

// ascii returns text that a file gave, quoted unless it is plain ASCII: full-width digits look like digits.
func ascii(text string) string {
	for _, r := range strings.TrimSuffix(text, "…") {
		if r < ' ' || r > '~' {
			return strconv.QuoteToASCII(text)
		}
	}
	return text
}
