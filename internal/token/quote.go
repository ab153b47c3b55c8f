package token

import (
	"strings"
	"unicode"
)

// Quote returns text, which a server sent, as it can stand in an error: without the token, on one line, in printable
// characters and cut to limit bytes, with "…" after a cut.
func Quote(text, token string, limit int) string {
	printable := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(Redact(text, token), " "))
	words := strings.Join(strings.Fields(printable), " ")
	if len(words) > limit {
		words = strings.ToValidUTF8(words[:limit], "") + "…"
	}
	return words
}
