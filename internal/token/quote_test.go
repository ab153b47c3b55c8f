package token_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer/internal/token"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":              {"", ""},
		"blank":                {" \r\n\t", ""},
		"as it is":             {"<h1>Who are you?</h1>", "<h1>Who are you?</h1>"},
		"control characters":   {"no\x00such\r\n\tthing\u2028here\xff!", "no such thing here !"},
		"a bell and a colour":  {"\x1b[31mred\x07", "[31mred"},
		"wide letters":         {"日本 語", "日本 語"},
		"at the limit":         {strings.Repeat("a", 40), strings.Repeat("a", 40)},
		"above it":             {strings.Repeat("a", 41), strings.Repeat("a", 40) + "…"},
		"cut inside a letter":  {strings.Repeat("a", 39) + "é", strings.Repeat("a", 39) + "…"},
		"the token":            {"bad\n" + sample + "\nsent", "bad [redacted] sent"},
		"the token, escaped":   {"bad " + strings.ReplaceAll(sample, "+", "%2B"), "bad [redacted]"},
		"the token at the cut": {strings.Repeat("a", 30) + sample, strings.Repeat("a", 30) + "[redacted]"},
	} {
		assert.Equal(t, tt.want, token.Quote(tt.text, sample, 40), name)
	}
}
