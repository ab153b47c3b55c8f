package main

import (
	"fmt"
	"slices"

	"github.com/bootpointer/bootpointer"
)

// maxContacts is how often a node may dial, shake hands, and ask for its token.
const maxContacts = 2

// broken returns what nodes did that the design rules out, one line for each such node.
func (s scene) broken() []string {
	var lines []string
	for i, l := range s.lives {
		for _, wrong := range s.wrongs(l, len(s.calls[i]), len(s.handshakes[i])) {
			lines = append(lines, fmt.Sprintf("%s: node %d %s", s.mode.name, i, wrong))
		}
	}
	if most := maxContacts * len(s.lives); s.metadataRequests > most {
		lines = append(lines, fmt.Sprintf("%s: %d metadata requests of %d nodes", s.mode.name, s.metadataRequests, len(s.lives)))
	}
	return lines
}

func (s scene) wrongs(l life, calls, handshakes int) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	m := s.mode
	if calls > m.maxCalls {
		say("made %d calls, at most %d are right", calls, m.maxCalls)
	}
	if len(l.dials) > maxContacts {
		say("dialled %d times", len(l.dials))
	}
	if handshakes > maxContacts {
		say("shook hands %d times", handshakes)
	}
	if l.staged == (l.outcome == bootpointer.OutcomeFailed) {
		say("came to %s, staged: %t", l.outcome, l.staged)
	}
	if s.bottleneck() != "" {
		return wrong // a node whose time this machine took may do less, and come to something else
	}
	if calls < m.minCalls {
		say("made %d calls, at least %d are right", calls, m.minCalls)
	}
	if !slices.Contains(m.outcomes, l.outcome) {
		say("came to %s (%s)", l.outcome, l.reason)
	}
	return wrong
}
