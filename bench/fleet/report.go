package main

import (
	"fmt"
	"strings"
	"time"
)

// section is a part of the report that has a place of its own in the documents.
type section struct{ name, text string }

func (rs *results) sections() []section {
	return []section{
		{"services", servicesTable()},
		{"conditions", rs.conditions()},
		{"window", windowTable(rs.windows)},
		{"herd", herdTable(rs.herds)},
		{"machine", machineTable(rs.windows, rs.herds)},
		{"paper", rs.paperTable()},
		{"jitter", rs.jitterTable()},
	}
}

func servicesTable() string {
	var rows [][]string
	for _, m := range modes() {
		rows = append(rows, []string{m.name, m.about, fmt.Sprint(m.maxCalls)})
	}
	return table([]string{"service", "what it does", "calls of a node, at most"}, rows)
}

func (rs *results) conditions() string {
	s := rs.settings
	verdict := "It was that of none that counts."
	if bottlenecks := rs.bottlenecks(); len(bottlenecks) > 0 {
		verdict = "**Not valid**, the machine was the bottleneck of: " + strings.Join(bottlenecks, "; ") + "."
	}
	return fmt.Sprintf("`fleet -nodes %d -window %v -herd %d -seed %d` on %s. %d trials, %d repeats because "+
		"the machine had been the bottleneck. %s\n", s.nodes, s.window, s.herd, s.seed, machine(), len(rs.windows)+len(rs.herds), rs.repeated, verdict)
}

// table renders rows for Markdown.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

func windowTable(trials []trial) string {
	head := []string{"service", "from service", "from fallback", "none", "calls", "dials", "handshakes", "metadata",
		"arrivals, peak", "calls, peak", "of N", "open, peak", "p50", "p99", "max"}
	var rows [][]string
	for _, t := range trials {
		f := t.figures()
		row := append([]string{t.mode.name}, sources(f)...)
		row = append(row, contacts(f)...)
		row = append(row, fmt.Sprintf("%.2f", f.metadata), fmt.Sprint(f.peakArrivals), fmt.Sprint(f.peakContacts),
			percent(share(float64(f.peakContacts), float64(t.workload.nodes))), fmt.Sprint(f.peakOpen))
		rows = append(rows, append(row, outcomeTimes(f)...))
	}
	return table(head, rows)
}

func herdTable(trials []trial) string {
	head := []string{"service", "from service", "from fallback", "none", "calls", "dials", "handshakes",
		"calls, peak", "of N", "came again, peak", "of N", "pause p1", "p50", "p99", "outcome p50", "p99", "max"}
	var rows [][]string
	for _, t := range trials {
		f := t.figures()
		n := float64(t.workload.nodes)
		row := append([]string{t.mode.name}, sources(f)...)
		row = append(row, contacts(f)...)
		row = append(row, fmt.Sprint(f.peakContacts), percent(share(float64(f.peakContacts), n)))
		if len(f.pauses) == 0 {
			row = append(row, "–", "–", "–", "–", "–")
		} else {
			row = append(row, fmt.Sprint(f.peakRepeats), percent(share(float64(f.peakRepeats), n)),
				ms(percentile(f.pauses, 1)), ms(percentile(f.pauses, 50)), ms(percentile(f.pauses, 99)))
		}
		rows = append(rows, append(row, outcomeTimes(f)...))
	}
	return table(head, rows)
}

func machineTable(windows, herds []trial) string {
	head := []string{"service", "busy", "late p99", "to the service p50", "p99", "CPU per node: node", "service",
		"herd: to the service p50", "max"}
	var rows [][]string
	for i, t := range windows {
		f, reached, herd := t.figures(), t.reached(), herds[i].reached()
		rows = append(rows, []string{t.mode.name, percent(t.busy()), ms(percentile(t.lags, 99)),
			ms(percentile(reached, 50)), ms(percentile(reached, 99)), exact(f.nodeCPU), exact(f.serviceCPU),
			ms(percentile(herd, 50)), ms(percentile(herd, 100))})
	}
	return table(head, rows)
}

// paperTable has the services whose cost is the same as long as nodes boot, and those that come back at their worst moment.
func (rs *results) paperTable() string {
	head := []string{"service", "calls/s", "connections/s", "handshakes/s", "CPU, cores", "TLS alone, cores", "open at once", "in, MB/s", "out, MB/s"}
	var rows [][]string
	add := func(name string, l load) {
		rows = append(rows, []string{name, whole(l.calls), whole(l.dials), whole(l.handshakes), cores(l.cores),
			cores(l.handshakes * rs.handshake.Seconds()), whole(l.open), fmt.Sprintf("%.1f", l.in/1e6), fmt.Sprintf("%.1f", l.out/1e6)})
	}
	for _, t := range rs.windows {
		if !t.mode.passing {
			add(t.mode.name, t.figures().at(paperRate()))
		}
	}
	// Until the last of those that found it down has repeated its call, each node costs what it does throughout.
	add("recovering, at most", rs.window("unavailable").at(paperRate()))
	restarting := rs.window("healthy").at(ours().comeback(paperRate(), rs.lost()))
	restarting.open = rs.lost()
	add("restarting, at most", restarting)
	return table(head, rows)
}

// lost is how many connections of the fleet a service has open that hangs, and loses when it restarts.
func (rs *results) lost() float64 { return rs.window("hanging").at(paperRate()).open }

// window returns the figures of the boot window with a service of that name.
func (rs *results) window(name string) figures {
	for _, t := range rs.windows {
		if t.mode.name == name {
			return t.figures()
		}
	}
	return figures{}
}

// jitterTable compares pauses before the retry.
func (rs *results) jitterTable() string {
	const shortest = 100 * time.Millisecond
	head := []string{"pause", "mean, and bridged outage", "nodes saved at an outage's end", "herd: comes again in 100 ms",
		"restart: handshakes/s", "TLS alone, cores"}
	var rows [][]string
	for _, j := range []jitter{{shortest, shortest}, ours(), {shortest, 1100 * time.Millisecond}, {shortest, 2100 * time.Millisecond}} {
		handshakes := j.comeback(paperRate(), rs.lost())
		rows = append(rows, []string{fmt.Sprintf("%d to %d ms", j.min.Milliseconds(), j.max.Milliseconds()), ms(j.mean()),
			whole(paperRate() * j.mean().Seconds()), percent(j.perBucket()), whole(handshakes), cores(handshakes * rs.handshake.Seconds())})
	}
	return table(head, rows) + fmt.Sprintf("\nA connection without a call costs the service %s of CPU. %s connections are open when it restarts.\n",
		exact(rs.handshake), whole(rs.lost()))
}

func cores(n float64) string { return fmt.Sprintf("%.1f", n) }

func sources(f figures) []string {
	return []string{percent(f.fromService), percent(f.fromFallback), percent(f.without)}
}

// contacts has the mean and the most of each kind.
func contacts(f figures) []string {
	both := func(mean float64, most int) string { return fmt.Sprintf("%.2f (%d)", mean, most) }
	return []string{both(f.calls, f.mostCalls), both(f.dials, f.mostDials), both(f.handshakes, f.mostHandshakes)}
}

func outcomeTimes(f figures) []string {
	return []string{ms(percentile(f.took, 50)), ms(percentile(f.took, 99)), ms(percentile(f.took, 100))}
}

func ms(d time.Duration) string {
	return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
}

func exact(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

// percent rounds to whole percents, except where that would make some of none or all.
func percent(part float64) string {
	if p := 100 * part; p > 0 && p < 1 || p > 99 && p < 100 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", 100*part)
}

func whole(n float64) string {
	digits := fmt.Sprintf("%.0f", n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
