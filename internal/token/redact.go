package token

import (
	"html"
	"strconv"
	"strings"
)

// redacted stands where a token was.
const redacted = "[redacted]"

// minRun is the number of bytes from which a run shared with the token is taken for a part of it. 16 bytes of
// base64 are 96 bits: prose does not share them by chance.
const minRun = 16

// encodings is how many layers of escaping are seen through, for example %252B for %2B for a plus sign.
const encodings = 3

// longestEntity is the length of the longest HTML entity of a base64 character: &equals; has 8 bytes.
const longestEntity = 8

// Redact returns text, which a server sent, with every occurrence of the token replaced by "[redacted]", and every
// run of 16 bytes or more that it shares with the token too: servers quote, cut and escape what they echo. Escapes
// as in URLs (%2B), JSON (\u002b, \/) and HTML (&#43;, &#x2b;) are seen through. Time and memory grow linearly
// with both; redact before cutting text to size, as a cut can leave a piece too short to be recognised.
func Redact(text, token string) string {
	size := min(minRun, len(token))
	if size == 0 || len(text) < size {
		return text
	}
	runs := runsOf(token, size)
	return redact(text, size, func(run string) bool { _, ok := runs[run]; return ok })
}

// RedactUnknown is [Redact] where the token is not known, as in the answers of whoever was asked for it: every run of 16
// bytes or more that could be one in base64 is replaced, and with it long words of other kinds, such as paths.
func RedactUnknown(text string) string {
	return redact(text, minRun, func(run string) bool { return strings.Trim(run, base64Alphabet) == "" })
}

// base64Alphabet is that of RFC 4648, for URLs too.
const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="

// redact replaces the runs of size bytes that are secret, also those that escaping hides.
func redact(text string, size int, secret func(run string) bool) string {
	hidden := make([]bool, len(text))
	layer := plain(text)
	for range encodings + 1 {
		layer.hide(secret, size, hidden)
		next := layer.unescape()
		if len(next.text) == len(layer.text) {
			break
		}
		layer = next
	}
	return replace(text, hidden)
}

// Echoed reports whether text, which a server sent, has a run of 16 bytes or more in common with the token, seen through
// the same escapes as [Redact]. It is meant for answers that are used rather than shown: most are short, and cost
// little. A token of less than 16 bytes, as in tests, is not looked for.
func Echoed(text, token string) bool {
	if len(token) < minRun {
		return false
	}
	shared := func(run string) bool { return strings.Contains(token, run) }
	if len(text) > shortText {
		runs := runsOf(token, minRun)
		shared = func(run string) bool { _, ok := runs[run]; return ok }
	}
	layer := plain(text)
	for range encodings + 1 {
		for i := 0; i+minRun <= len(layer.text); i++ {
			if shared(layer.text[i : i+minRun]) {
				return true
			}
		}
		next := layer.unescape()
		if len(next.text) == len(layer.text) {
			break
		}
		layer = next
	}
	return false
}

// shortText is the length up to which searching the token for each run of a text is cheaper than an index of the token.
const shortText = 1 << 10

// runsOf returns every run of size bytes in token.
func runsOf(token string, size int) map[string]struct{} {
	runs := make(map[string]struct{}, len(token)-size+1)
	for i := 0; i+size <= len(token); i++ {
		runs[token[i:i+size]] = struct{}{}
	}
	return runs
}

// decoded is text after some unescaping. Byte i of text came from the bytes of the original from start[i] up to
// start[i+1].
type decoded struct {
	text  string
	start []int
}

func plain(text string) decoded {
	d := decoded{text: text, start: make([]int, len(text)+1)}
	for i := range d.start {
		d.start[i] = i
	}
	return d
}

// hide marks the bytes of the original that belong to a run of size bytes that is secret.
func (d decoded) hide(secret func(run string) bool, size int, hidden []bool) {
	for i := 0; i+size <= len(d.text); i++ {
		if !secret(d.text[i : i+size]) {
			continue
		}
		for j := d.start[i]; j < d.start[i+size]; j++ {
			hidden[j] = true
		}
	}
}

// unescape takes one layer of escaping off.
func (d decoded) unescape() decoded {
	var text strings.Builder
	start := make([]int, 0, len(d.start))
	for i := 0; i < len(d.text); {
		b, size := unescapeByte(d.text[i:])
		text.WriteByte(b)
		start = append(start, d.start[i])
		i += size
	}
	return decoded{text: text.String(), start: append(start, d.start[len(d.text)])}
}

// unescapeByte returns the byte that s begins with, and how many bytes it takes up there.
func unescapeByte(s string) (b byte, size int) {
	for _, prefix := range []string{"%", `\x`, `\u00`} {
		if digits, ok := strings.CutPrefix(s, prefix); ok && len(digits) >= 2 {
			if v, err := strconv.ParseUint(digits[:2], 16, 8); err == nil {
				return byte(v), len(prefix) + 2
			}
		}
	}
	switch s[0] {
	case '\\':
		if len(s) > 1 && strings.IndexByte(`/"'\+=`, s[1]) >= 0 {
			return s[1], 2
		}
	case '&':
		if end := strings.IndexByte(s[:min(len(s), longestEntity)], ';'); end > 0 {
			if v := html.UnescapeString(s[:end+1]); len(v) == 1 {
				return v[0], end + 1
			}
		}
	}
	return s[0], 1
}

func replace(text string, hidden []bool) string {
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !hidden[i]:
			b.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			b.WriteString(redacted)
		}
	}
	return b.String()
}
