package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes what was measured on, in a line.
func machine() string {
	before := ""
	if realTime() {
		before = ", all of this scheduled before it (real time)"
	}
	return fmt.Sprintf("%d cores, %s, Linux %s, %s. Load average at the start %s%s",
		runtime.NumCPU(), cpuModel(), kernel(), runtime.Version(), firstField("/proc/loadavg"), before)
}

// cpuModel returns the name of the first core, or the architecture where the kernel gives none.
func cpuModel() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// kernel returns the version of the kernel, without what its builder appended.
func kernel() string {
	version, _, _ := strings.Cut(firstField("/proc/sys/kernel/osrelease"), "-")
	return version
}

// firstField returns the first word in a file, or a dash.
func firstField(path string) string {
	b, _ := os.ReadFile(path)
	if fields := bytes.Fields(b); len(fields) > 0 {
		return string(fields[0])
	}
	return "–"
}
