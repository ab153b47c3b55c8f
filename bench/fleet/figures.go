package main

import (
	"slices"
	"time"

	"github.com/bootpointer/bootpointer"
)

// figures are what the report says of a trial.
type figures struct {
	// fromService, fromFallback and without are shares of the nodes: where they had their pointer from.
	fromService, fromFallback, without float64
	// calls, dials, handshakes and metadata are means per node, the most for one node beside them.
	calls, dials, handshakes             float64
	mostCalls, mostDials, mostHandshakes int
	metadata                             float64
	// peakArrivals and peakContacts are the most within a bucket's width, peakOpen the most connections at once.
	peakArrivals, peakContacts, peakOpen int
	// open is how long a node's connections are open, sent and received their bytes, nodeCPU and serviceCPU the CPU time of a
	// node's check and of the service for it; means per node.
	open                time.Duration
	sent, received      float64
	nodeCPU, serviceCPU time.Duration
	// took is the time of each node from being due to its outcome.
	took []time.Duration
	// peakRepeats is the most nodes that came again within a bucket's width, pauses are what they waited before.
	peakRepeats int
	pauses      []time.Duration
}

func (t trial) figures() figures {
	var f figures
	f.addOutcomes(t)
	f.addConnections(t)
	f.calls, f.mostCalls = perNode(t.calls)
	f.handshakes, f.mostHandshakes = perNode(t.handshakes)
	f.peakContacts = peak(t.contacts())
	repeats, pauses := t.repeats()
	f.peakRepeats, f.pauses = peak(repeats), pauses
	n := float64(len(t.nodes))
	f.metadata = share(float64(t.metadataRequests), n)
	f.nodeCPU, f.serviceCPU = time.Duration(share(float64(t.nodesCPU), n)), time.Duration(share(float64(t.serviceCPU), n))
	return f
}

// addOutcomes adds what nodes came to, and when.
func (f *figures) addOutcomes(t trial) {
	var arrivals []time.Duration
	count := make(map[bootpointer.Outcome]float64)
	for _, r := range t.nodes {
		count[r.outcome]++
		arrivals = append(arrivals, r.arrival)
		f.took = append(f.took, r.done-r.arrival)
	}
	n := float64(len(t.nodes))
	f.fromService = share(count[bootpointer.OutcomeLPSRead], n)
	f.fromFallback = share(count[bootpointer.OutcomeCustomDataFallback], n)
	f.without = share(n-count[bootpointer.OutcomeLPSRead]-count[bootpointer.OutcomeCustomDataFallback], n)
	f.peakArrivals = peak(arrivals)
}

// addConnections adds what nodes saw of the network.
func (f *figures) addConnections(t trial) {
	dials := make([][]time.Duration, len(t.nodes))
	var spans []span
	var open time.Duration
	var sent, received int64
	for i, r := range t.nodes {
		dials[i] = r.dials
		spans = append(spans, r.conns...)
		sent, received = sent+r.sent, received+r.received
	}
	for _, s := range spans {
		open += s.to - s.from
	}
	n := float64(len(t.nodes))
	f.dials, f.mostDials = perNode(dials)
	f.sent, f.received = share(float64(sent), n), share(float64(received), n)
	f.open, f.peakOpen = time.Duration(share(float64(open), n)), mostOpen(spans)
}

// contacts returns when nodes turned to the service: their calls, or their dials where nobody takes a call.
func (t trial) contacts() []time.Duration {
	if !t.mode.refuses {
		return slices.Concat(t.calls...)
	}
	var times []time.Duration
	for _, r := range t.nodes {
		times = append(times, r.dials...)
	}
	return times
}

// repeats returns when nodes came again, with another connection or another call on the same one, and the pause since
// the connection was refused or lost, or since the first call.
func (t trial) repeats() (times, pauses []time.Duration) {
	for i, r := range t.nodes {
		var before, again time.Duration
		switch calls := t.calls[i]; {
		case len(r.dials) > 1 && len(r.conns) > 0:
			before, again = r.conns[0].to, r.dials[1]
		case len(r.dials) > 1:
			before, again = r.dials[0], r.dials[1]
		case len(calls) > 1:
			before, again = calls[0], calls[1]
		default:
			continue
		}
		times, pauses = append(times, again), append(pauses, again-before)
	}
	return times, pauses
}

// perNode returns the mean and the most.
func perNode(events [][]time.Duration) (mean float64, most int) {
	all := 0
	for _, e := range events {
		all += len(e)
		most = max(most, len(e))
	}
	return share(float64(all), float64(len(events))), most
}

// reached returns how long each node took to its first contact with the service, and to its outcome if it had none. It is the
// machine's doing and not the design's: a node of its own takes milliseconds.
func (t trial) reached() []time.Duration {
	times := make([]time.Duration, len(t.nodes))
	for i, r := range t.nodes {
		first := r.done
		switch {
		case t.mode.refuses && len(r.dials) > 0:
			first = r.dials[0]
		case len(t.calls[i]) > 0:
			first = t.calls[i][0]
		}
		times[i] = first - r.arrival
	}
	return times
}
