package guestagent

import (
	"strings"
	"unicode"
)

// MaxMessage is the largest message in bytes. The guest agent drops events whose message is longer than 3 KiB.
const MaxMessage = 3000

const (
	// bar separates the text of a message from the times at its end.
	bar = " | "
	// ellipsis stands where a message was cut.
	ellipsis = "…"
)

// clean returns message in valid UTF-8, on one line and in at most MaxMessage bytes. A longer one is cut before its
// last bar, so that the times behind the bar stay whole.
func clean(message string) string {
	message = strings.Map(printable, strings.ToValidUTF8(message, string(unicode.ReplacementChar)))
	if len(message) <= MaxMessage {
		return message
	}
	text, times := message, ""
	if i := strings.LastIndex(message, bar); i >= 0 && len(message)-i <= MaxMessage-len(ellipsis) {
		text, times = message[:i], message[i:]
	}
	room := MaxMessage - len(ellipsis) - len(times)
	return strings.ToValidUTF8(text[:room], "") + ellipsis + times
}

// printable turns line breaks of every kind, and what else has no shape, into blanks.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}
