package main

import (
	"os"
	"time"
)

// watchdogMargin is what the process gets beyond the network's time-out, for staging and reporting.
const watchdogMargin = 2 * time.Second

// watchdog ends the process when its time is up: also while a read or a write hangs in the kernel.
type watchdog struct {
	started time.Time
	timer   *time.Timer
}

// startWatchdog gives the process limit from now on, and then ends it with exitStatus.
func startWatchdog(limit time.Duration, exitStatus int) *watchdog {
	return &watchdog{started: time.Now(), timer: time.AfterFunc(limit, func() {
		// Telling why must not hang either.
		go os.Stderr.WriteString("check-hotfix: out of time, giving up; see whether reading the node config, looking at or " +
			"writing the pointer, or whoever reads the output hangs\n")
		time.Sleep(20 * time.Millisecond)
		os.Exit(exitStatus)
	})}
}

// extend gives the process limit from its start.
func (w *watchdog) extend(limit time.Duration) {
	w.timer.Reset(limit - time.Since(w.started))
}
