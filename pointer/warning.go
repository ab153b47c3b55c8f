package pointer

import (
	"fmt"
	"strconv"
	"strings"
)

// Warning says on one line of printable ASCII what was left out of a document, and why.
type Warning string

const (
	// maxWarnings is how many warnings one document gives; one more says how many there were beyond.
	maxWarnings = 20
	// maxQuoted is how many bytes of a document a warning or an error repeats at a time.
	maxQuoted = 64
)

// warnings keeps the first maxWarnings and counts the rest.
type warnings struct {
	kept []Warning
	more int
}

func (w *warnings) add(format string, args ...any) {
	if len(w.kept) == maxWarnings {
		w.more++
		return
	}
	w.kept = append(w.kept, Warning(fmt.Sprintf(format, args...)))
}

func (w *warnings) list() []Warning {
	if w.more == 0 {
		return w.kept
	}
	return append(w.kept, Warning(fmt.Sprintf("%d more", w.more)))
}

// quoted returns a cut of s that can stand in a log line. Full-width digits are escaped: they look like digits.
func quoted(s string) string {
	if len(s) > maxQuoted {
		s = strings.ToValidUTF8(s[:maxQuoted], "") + "..."
	}
	return strconv.QuoteToASCII(s)
}
