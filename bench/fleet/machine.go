package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// A trial counts only if the machine was not what the nodes waited for.
const (
	// maxBusy is the share of the machine that both processes may use while the nodes arrive.
	maxBusy = 0.7
	// maxLag is what the probe's 99th percentile may be late in a window: half a bucket.
	maxLag = bucket / 2
	// maxReach is what the 99th percentile of a window may take to the service: a bucket.
	maxReach = bucket
	// maxHerdReach is what any node of a herd may take, and what the probe may be late then: a third of the time for setting up.
	// A herd keeps any machine busy for a moment.
	maxHerdReach = time.Second
)

// busy returns which share of the machine the nodes and the service used while the nodes arrived, or until the end of a herd.
func (t trial) busy() float64 {
	wall := t.workload.window
	if t.workload.isHerd() {
		wall = t.elapsed
	}
	return share((t.nodesCPU + t.serviceCPU).Seconds(), wall.Seconds()*float64(runtime.NumCPU()))
}

// bottleneck says how the machine was in the way, and "" if it was not.
func (t trial) bottleneck() string {
	reached := t.reached()
	if t.workload.isHerd() || t.mode.surges {
		if worst := percentile(reached, 100); worst > maxHerdReach {
			return fmt.Sprintf("a node took %v to the service", worst.Round(time.Millisecond))
		}
		if lag := percentile(t.lags, 100); lag > maxHerdReach {
			return fmt.Sprintf("this process ran %v late", lag.Round(time.Millisecond))
		}
		return ""
	}
	if busy := t.busy(); busy > maxBusy {
		return fmt.Sprintf("%.0f %% of the machine used", 100*busy)
	}
	if lag := percentile(t.lags, 99); lag > maxLag {
		return fmt.Sprintf("this process ran %v late", lag.Round(time.Millisecond))
	}
	if late := percentile(reached, 99); late > maxReach {
		return fmt.Sprintf("nodes took %v to the service", late.Round(time.Millisecond))
	}
	return ""
}

// machine describes where this runs.
func machine() string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "CPU unknown"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "CPU unknown"
}
