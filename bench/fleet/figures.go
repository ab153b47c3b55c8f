package main

import (
	"slices"
	"time"

	"github.com/bootpointer/bootpointer"
)

// figures are what the report says of a scene.
type figures struct {
	// fromService, fromFallback and without are shares of the nodes: where they had their pointer from.
	fromService, fromFallback, without float64
	// calls, dials, handshakes and metadata are means per node, the most for one node beside them.
	calls, dials, handshakes             float64
	mostCalls, mostDials, mostHandshakes int
	metadata                             float64
	// peakArrivals and peakContacts are the most in one bucket, peakOpen the most connections at once.
	peakArrivals, peakContacts, peakOpen int
	// open is how long a node's connections are open, sent and received their bytes, nodeCPU and serviceCPU the CPU time of a
	// node's check and of the service for it; means per node.
	open                time.Duration
	sent, received      float64
	nodeCPU, serviceCPU time.Duration
	// took is the time of each node from being due to its outcome.
	took []time.Duration
	// peakRepeats is the most nodes that came again in one bucket, pauses are what they waited before.
	peakRepeats int
	pauses      []time.Duration
}

func (s scene) figures() figures {
	var f figures
	n := float64(len(s.lives))
	var spans []span
	var arrivals []time.Duration
	var open time.Duration
	var dials, sent, received float64
	for _, l := range s.lives {
		switch l.outcome {
		case bootpointer.OutcomeLPSRead:
			f.fromService++
		case bootpointer.OutcomeCustomDataFallback:
			f.fromFallback++
		default:
			f.without++
		}
		arrivals = append(arrivals, l.arrival)
		f.took = append(f.took, l.done-l.arrival)
		spans = append(spans, l.conns...)
		for _, c := range l.conns {
			open += c.to - c.from
		}
		dials += float64(len(l.dials))
		f.mostDials = max(f.mostDials, len(l.dials))
		sent += float64(l.sent)
		received += float64(l.received)
	}
	f.fromService, f.fromFallback, f.without = share(f.fromService, n), share(f.fromFallback, n), share(f.without, n)
	f.dials, f.sent, f.received = share(dials, n), share(sent, n), share(received, n)
	f.metadata = share(float64(s.metadataRequests), n)
	f.open = time.Duration(share(float64(open), n))
	f.nodeCPU, f.serviceCPU = time.Duration(share(float64(s.nodesCPU), n)), time.Duration(share(float64(s.serviceCPU), n))
	f.peakArrivals, f.peakOpen = peak(perBucket(arrivals)), mostOpen(spans)
	f.addEvents(s)
	return f
}

// addEvents adds what the service saw.
func (f *figures) addEvents(s scene) {
	f.calls, f.mostCalls = perNode(s.calls)
	f.handshakes, f.mostHandshakes = perNode(s.handshakes)
	f.peakContacts = peak(perBucket(s.contacts()))
	repeats, pauses := s.repeats()
	f.peakRepeats, f.pauses = peak(perBucket(repeats)), pauses
}

// contacts returns when nodes turned to the service: their calls, or their dials where nobody takes a call.
func (s scene) contacts() []time.Duration {
	if !s.mode.refuses {
		return slices.Concat(s.calls...)
	}
	var times []time.Duration
	for _, l := range s.lives {
		times = append(times, l.dials...)
	}
	return times
}

// repeats returns when nodes came again, with another connection or another call on the same one, and the pause since
// the connection was refused or lost, or since the first call.
func (s scene) repeats() (times, pauses []time.Duration) {
	for i, l := range s.lives {
		var before, again time.Duration
		switch calls := s.calls[i]; {
		case len(l.dials) > 1 && len(l.conns) > 0:
			before, again = l.conns[0].to, l.dials[1]
		case len(l.dials) > 1:
			before, again = l.dials[0], l.dials[1]
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
func (s scene) reached() []time.Duration {
	times := make([]time.Duration, len(s.lives))
	for i, l := range s.lives {
		first := l.done
		switch {
		case s.mode.refuses && len(l.dials) > 0:
			first = l.dials[0]
		case len(s.calls[i]) > 0:
			first = s.calls[i][0]
		}
		times[i] = first - l.arrival
	}
	return times
}
