package nodeconfig

import "strings"

// endOfWord are the characters that end a value without quotes. A quote is one: the scan is for scripts in which
// the blank between two assignments may be missing.
const endOfWord = " \t\r\n;&|<>()'\""

// scanAssignments returns the value of everything that looks like an assignment to the variable, in order,
// wherever it stands.
func scanAssignments(script, variable string) []value {
	pieces := strings.Split(script, variable+"=")
	var values []value
	for i, piece := range pieces[1:] {
		if !endsInName(pieces[i]) {
			values = append(values, scanValue(piece))
		}
	}
	return values
}

// endsInName says whether s ends within a name, so that what follows is the rest of a longer one.
func endsInName(s string) bool {
	if s == "" {
		return false
	}
	c := s[len(s)-1]
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// scanValue returns the value that s begins with. A quote that is not closed reaches to the end.
func scanValue(s string) value {
	if quoted, ok := strings.CutPrefix(s, "'"); ok {
		text, _, _ := strings.Cut(quoted, "'")
		return value{text, true}
	}
	end := endOfWord
	s, quoted := strings.CutPrefix(s, `"`)
	if quoted {
		end = `"`
	}
	literal := true
	i := 0
	for ; i < len(s) && strings.IndexByte(end, s[i]) < 0; i++ {
		switch s[i] {
		case '\\':
			i++
		case '$', '`':
			literal = false
		}
	}
	return value{unescape(s[:min(i, len(s))], quoted), literal}
}
