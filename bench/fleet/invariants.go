package main

import (
	"fmt"
	"slices"

	"github.com/bootpointer/bootpointer"
)

// maxContacts is how often a node may dial, shake hands, and ask for its token.
const maxContacts = 2

// violations returns what nodes did that the design rules out, one line for each such node.
func (t trial) violations() []string {
	var lines []string
	for i, r := range t.nodes {
		for _, wrong := range t.violationsOf(r, len(t.calls[i]), len(t.handshakes[i])) {
			lines = append(lines, fmt.Sprintf("%s: node %d %s", t.mode.name, i, wrong))
		}
	}
	if most := maxContacts * len(t.nodes); t.metadataRequests > most {
		lines = append(lines, fmt.Sprintf("%s: %d metadata requests of %d nodes", t.mode.name, t.metadataRequests, len(t.nodes)))
	}
	return lines
}

func (t trial) violationsOf(r nodeResult, calls, handshakes int) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	m := t.mode
	if calls > m.maxCalls {
		say("made %d calls, at most %d are right", calls, m.maxCalls)
	}
	if len(r.dials) > maxContacts {
		say("dialled %d times", len(r.dials))
	}
	if handshakes > maxContacts {
		say("shook hands %d times", handshakes)
	}
	if r.staged == (r.outcome == bootpointer.OutcomeFailed) {
		say("came to %s, staged: %t", r.outcome, r.staged)
	}
	if t.bottleneck() != "" {
		return wrong // a node whose time this machine took may do less, and come to something else
	}
	if calls < m.minCalls {
		say("made %d calls, at least %d are right", calls, m.minCalls)
	}
	if !slices.Contains(m.outcomes, r.outcome) {
		say("came to %s (%s)", r.outcome, r.reason)
	}
	return wrong
}
