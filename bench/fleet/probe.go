package main

import (
	"context"
	"sync"
	"time"
)

// probeInterval is how often the probe wants to run.
const probeInterval = 5 * time.Millisecond

// probe measures how late this process gets to run. A turn that is missed counts with the time it was late by then, so
// that one long wait weighs as much as it lasts.
type probe struct {
	cancel  context.CancelFunc
	running sync.WaitGroup
	lags    []time.Duration
}

func startProbe(ctx context.Context) *probe {
	ctx, cancel := context.WithCancel(ctx)
	p := &probe{cancel: cancel}
	p.running.Go(func() {
		due := time.Now().Add(probeInterval)
		for sleep(ctx, time.Until(due)) {
			now := time.Now()
			for ; !due.After(now); due = due.Add(probeInterval) {
				p.lags = append(p.lags, now.Sub(due))
			}
		}
	})
	return p
}

// end stops the probe and returns how late each turn was.
func (p *probe) end() []time.Duration {
	p.cancel()
	p.running.Wait()
	return p.lags
}
