package main

import (
	"fmt"
	"os"
	"time"
)

// table writes what the programs took in one scenario.
func (r report) table(m *measurement) {
	r.printf("### %s\n\n", m.scenario.title)
	if runs := len(m.samples[productName]); runs != r.rounds {
		r.printf("Of %d rounds.\n\n", runs)
	}
	r.printf("| program | wall, ms | × floor | CPU, ms | × floor | peak memory, MiB |\n|---|---|---|---|---|---|\n")
	floor := m.samples[floorName]
	for _, p := range r.programs {
		s := m.samples[p.name]
		r.printf("| %s | %s | %.2f | %s | %.2f | %.1f |\n", p.name,
			spread(s.wall()), ratio(s.wall().median, floor.wall().median),
			spread(s.cpu()), ratio(s.cpu().median, floor.cpu().median), mebibytes(s.peak().median))
	}
	r.printf("\n")
}

// tolerance is how much of its bound a wall time may be.
const tolerance = 1.05

// bounds writes how the wall times of a scenario with a distance compare with their bounds. own is what was measured on
// loopback.
func (r report) bounds(m, own *measurement) {
	s := m.scenario
	rtt := quartilesOf(m.trips).median
	r.printf("A round trip was %s ms on the line as measured; timers are late. The bounds are for that, and for %s ms.\n\n",
		milliseconds(rtt), milliseconds(s.rtt))
	r.printf("| program | round trips | wall, ms | bound, ms | wall / bound | within 5 %% | bound for %s ms | wall / that |\n"+
		"|---|---|---|---|---|---|---|---|\n", milliseconds(s.rtt))
	for _, p := range r.programs {
		if p.trips == 0 {
			continue
		}
		wall, alone := m.samples[p.name].wall().median, own.samples[p.name].wall().median
		measured, nominal := bound(s.metadata, rtt, p.trips, alone), bound(s.metadata, s.rtt, p.trips, alone)
		r.printf("| %s | %d + 1 | %s | %s | %.2f | %s | %s | %.2f |\n", p.name, p.trips, milliseconds(wall),
			milliseconds(measured), ratio(wall, measured), yesNo(ratio(wall, measured) <= tolerance),
			milliseconds(nominal), ratio(wall, nominal))
	}
	r.printf("\n")
}

// sizes writes how large the programs are.
func (r report) sizes() error {
	r.printf("### Size\n\n| program | MB (10⁶ bytes) |\n|---|---|\n")
	for _, p := range r.programs {
		if p.binary == "" {
			continue
		}
		info, err := os.Stat(p.binary)
		if err != nil {
			return err
		}
		r.printf("| %s | %.2f |\n", p.name, float64(info.Size())/1e6)
	}
	r.printf("\n")
	return nil
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func mebibytes(kib int) float64 { return float64(kib) / 1024 }

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
}

// spread is a median with its quartiles.
func spread(q quartiles[time.Duration]) string {
	return fmt.Sprintf("%s (%s–%s)", milliseconds(q.median), milliseconds(q.lower), milliseconds(q.upper))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "**no**"
}
