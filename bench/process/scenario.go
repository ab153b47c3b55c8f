package main

import "time"

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
	// rounds limits the measured rounds of a scenario in which every run is long. 0 is no limit.
	rounds int
	// onDisk has the pointer on the disk rather than in memory, for what fsync costs.
	onDisk bool
}

var scenarios = []scenario{
	{name: "loopback", title: "Loopback"},
	{name: "disk", title: "Loopback, pointer on disk", onDisk: true},
	{name: "near", title: "Round trip 10 ms, metadata 20 ms", rtt: 10 * time.Millisecond, metadata: 20 * time.Millisecond},
	{name: "far", title: "Round trip 50 ms, metadata 300 ms", rtt: 50 * time.Millisecond, metadata: 300 * time.Millisecond},
	{name: "refused", title: "The service's port refuses", service: refuses},
	{name: "hang", title: "The service accepts and says nothing", service: hangs, rounds: 3},
}

// distant reports whether the scenario has a bound on the wall time.
func (s scenario) distant() bool { return s.rtt > 0 }

// bound is the longest that a program may take whose wall time without any distance is own: metadata runs beside TCP, TLS
// and SETTINGS, one round trip each, and the call is one more. The address is a literal, so there is no DNS.
func (s scenario) bound(own time.Duration) time.Duration {
	return max(s.metadata, 3*s.rtt) + s.rtt + own
}
