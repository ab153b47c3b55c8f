package main

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// scene is one crowd that has met one mode of the service. Times are relative to its start.
type scene struct {
	mode  mode
	crowd crowd
	lives []life
	// calls and handshakes are those of each node, as the service saw them.
	calls, handshakes [][]time.Duration
	metadataRequests  int
	// nodesCPU and serviceCPU are what the two processes used, elapsed how long it took until the last outcome.
	nodesCPU, serviceCPU, elapsed time.Duration
	lags                          []time.Duration
}

// meet plays one scene.
func meet(ctx context.Context, m mode, c crowd, seed uint64) (scene, error) {
	service, err := startProcess(ctx, m, c.admitted())
	if err != nil {
		return scene{}, err
	}
	defer service.close()
	metadata, err := imdstest.New()
	if err != nil {
		return scene{}, err
	}
	defer metadata.Close()
	dir, err := os.MkdirTemp(memory(), "fleet-")
	if err != nil {
		return scene{}, err
	}
	defer os.RemoveAll(dir)
	nodes, err := makeNodes(dir, c.nodes, service.opening, metadata.URL())
	if err != nil {
		return scene{}, err
	}
	s := scene{mode: m, crowd: c}
	start, err := s.bootAll(ctx, service, nodes, c.arrivals(seed))
	if err != nil {
		return scene{}, err
	}
	seen, err := service.end()
	if err != nil {
		return scene{}, err
	}
	s.serviceCPU = seen.CPU
	s.calls, s.handshakes = byNode(seen.Calls, start, c.nodes), byNode(seen.Handshakes, start, c.nodes)
	s.metadataRequests = len(metadata.Requests())
	return s, ctx.Err()
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
func (s *scene) bootAll(ctx context.Context, service *process, nodes []*node, arrivals []time.Duration) (time.Time, error) {
	lag := startProbe(ctx)
	defer lag.end()
	start, err := service.start()
	if err != nil {
		return start, err
	}
	before := cpuTime()
	s.lives = make([]life, len(nodes))
	var booting sync.WaitGroup
	for i, n := range nodes {
		sleep(ctx, time.Until(start.Add(arrivals[i])))
		booting.Go(func() { s.lives[i] = n.boot(ctx, start, arrivals[i]) })
	}
	booting.Wait()
	s.elapsed, s.nodesCPU, s.lags = time.Since(start), cpuTime()-before, lag.end()
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
