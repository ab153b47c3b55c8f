package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// service is how the live-patching service behaves in a scenario.
type service int

const (
	answers service = iota
	refuses         // nobody listens at its port
	hangs           // it accepts connections and says nothing
)

// scenario is what the programs are run against.
type scenario struct {
	name    string
	title   string
	service service
	// rtt is the round trip to the service, metadata how long the metadata service takes.
	rtt, metadata time.Duration
	// rounds limits the rounds of a scenario in which every run is long; it does without those to warm up. 0 is no limit.
	rounds int
	// onDisk has the pointer on the disk rather than in memory, for what fsync costs.
	onDisk bool
}

// loopbackName is the scenario in which programs take no longer than they have to.
const loopbackName = "loopback"

func scenarios() []scenario {
	return []scenario{
		{name: loopbackName, title: "Loopback"},
		{name: "disk", title: "Loopback, pointer on disk", onDisk: true},
		{name: "near", title: "Round trip 10 ms, metadata 20 ms", rtt: 10 * time.Millisecond, metadata: 20 * time.Millisecond},
		{name: "line", title: "Round trip 50 ms, metadata at once", rtt: 50 * time.Millisecond},
		{name: "far", title: "Round trip 50 ms, metadata 300 ms", rtt: 50 * time.Millisecond, metadata: 300 * time.Millisecond},
		{name: "refused", title: "The service's port refuses", service: refuses, rounds: 10},
		{name: "hang", title: "The service accepts and says nothing", service: hangs, rounds: 3},
	}
}

// choose returns the scenarios with these names, with commas between them, or all if there is none.
func choose(names string) ([]scenario, error) {
	all := scenarios()
	if names == "" {
		return all, nil
	}
	chosen := make([]scenario, 0, len(all))
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(s scenario) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no scenario %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// wants reports whether the scenario takes part in a round. Rounds to warm up are negative.
func (s scenario) wants(round int) bool {
	return s.rounds == 0 || round >= 0 && round < s.rounds
}

// distant reports whether there is a distance, and with it a bound on the wall time.
func (s scenario) distant() bool { return s.rtt > 0 }

// staged is the document that a run has to leave on disk.
func (s scenario) staged() string {
	if s.service == answers {
		return served
	}
	return `{"hotfixes":` + embedded + `}`
}

// bound is the longest that a program may take which needs trips round trips of rtt before its call, and own without any
// distance: metadata runs beside those trips, and the call is one more. The address is a literal, so there is no DNS.
func bound(metadata, rtt time.Duration, trips int, own time.Duration) time.Duration {
	return max(metadata, time.Duration(trips)*rtt) + rtt + own
}
