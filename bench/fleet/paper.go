package main

import "time"

// The fleet on paper.
const (
	paperNodes  = 100_000
	paperWindow = time.Minute
)

// paperRate is how many of its nodes boot per second.
func paperRate() float64 { return paperNodes / paperWindow.Seconds() }

// load is what a fleet costs the service, as long as its nodes boot.
type load struct {
	calls, dials, handshakes float64 // per second
	cores                    float64
	open                     float64 // connections at once
	in, out                  float64 // bytes per second, as the service sees them
}

// at returns the load when rate nodes boot per second and each is as the mean node of f. What is open at once follows from Little's
// law: the rate times how long each stays.
func (f figures) at(rate float64) load {
	return load{
		calls: rate * f.calls, dials: rate * f.dials, handshakes: rate * f.handshakes,
		cores: rate * f.serviceCPU.Seconds(), open: rate * f.open.Seconds(),
		in: rate * f.sent, out: rate * f.received,
	}
}

// jitter is the range of the random pause before the one retry.
type jitter struct{ min, max time.Duration }

// ours is the product's own, of internal/front; the report's measured pauses show it.
func ours() jitter { return jitter{100 * time.Millisecond, 400 * time.Millisecond} }

func (j jitter) mean() time.Duration { return (j.min + j.max) / 2 }

// perBucket returns the largest share of nodes that came to the pause together and come back in the same bucket.
func (j jitter) perBucket() float64 {
	width := j.max - j.min
	return min(1, share(float64(bucket), float64(max(width, bucket))))
}

// comeback returns how many nodes per second turn to a service that restarts while rate nodes boot per second and lost
// connections are open: those come back within the range of the jitter, beside the nodes that boot then.
func (j jitter) comeback(rate, lost float64) float64 {
	return rate + lost*j.perBucket()/bucket.Seconds()
}
