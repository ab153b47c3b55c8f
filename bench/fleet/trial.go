package main

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// trial is one workload that has met one mode of the service. Times are relative to its start.
type trial struct {
	mode     mode
	workload workload
	nodes    []nodeResult
	// calls and handshakes are those of each node, as the service saw them.
	calls, handshakes [][]time.Duration
	metadataRequests  int
	// nodesCPU and serviceCPU are what the two processes used, elapsed how long it took until the last outcome.
	nodesCPU, serviceCPU, elapsed time.Duration
	lags                          []time.Duration
}

// runTrial plays one trial.
func runTrial(ctx context.Context, m mode, w workload, seed uint64) (trial, error) {
	service, err := startProcess(ctx, m, w.admitted())
	if err != nil {
		return trial{}, err
	}
	defer service.close()
	metadata, err := imdstest.New()
	if err != nil {
		return trial{}, err
	}
	defer metadata.Close()
	dir, err := os.MkdirTemp(memory(), "fleet-")
	if err != nil {
		return trial{}, err
	}
	defer os.RemoveAll(dir)
	nodes, err := makeNodes(dir, w.nodes, service.opening, metadata.URL())
	if err != nil {
		return trial{}, err
	}
	t := trial{mode: m, workload: w}
	start, err := t.bootAll(ctx, service, nodes, w.arrivals(seed))
	if err != nil {
		return trial{}, err
	}
	seen, err := service.end()
	if err != nil {
		return trial{}, err
	}
	t.serviceCPU = seen.CPU
	t.calls, t.handshakes = byNode(seen.Calls, start, w.nodes), byNode(seen.Handshakes, start, w.nodes)
	t.metadataRequests = len(metadata.Requests())
	return t, ctx.Err()
}

// memory returns a folder in memory, where there is one, for the disks of the nodes: on one disk for all, each would wait for
// the flushes of all others.
func memory() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return os.TempDir()
}

// bootAll boots each node when it is due, and returns when the service's clock began.
func (t *trial) bootAll(ctx context.Context, service *process, nodes []*node, arrivals []time.Duration) (time.Time, error) {
	lag := startProbe(ctx)
	defer lag.end()
	start, err := service.start()
	if err != nil {
		return start, err
	}
	before := cpuTime()
	t.nodes = make([]nodeResult, len(nodes))
	var booting sync.WaitGroup
	for i, n := range nodes {
		sleep(ctx, time.Until(start.Add(arrivals[i])))
		booting.Go(func() { t.nodes[i] = n.boot(ctx, start, arrivals[i]) })
	}
	booting.Wait()
	t.elapsed, t.nodesCPU, t.lags = time.Since(start), cpuTime()-before, lag.end()
	return start, nil
}

// byNode sorts events by node. Those of no node of ours are left out: nobody else knows the port.
func byNode(stamps []stamp, start time.Time, nodes int) [][]time.Duration {
	events := make([][]time.Duration, nodes)
	for _, s := range stamps {
		if s.Node >= 0 && s.Node < nodes {
			events[s.Node] = append(events[s.Node], s.At.Sub(start))
		}
	}
	return events
}
