package main

import (
	"fmt"
	"io"
	"time"
)

// writeTable writes what the programs took in a scenario as a table in Markdown.
func writeTable(w io.Writer, s scenario, programs []program, samples map[string]sample) {
	fmt.Fprintf(w, "### %s\n\n", s.title)
	fmt.Fprintf(w, "| program | wall, ms | × floor | CPU, ms | × floor | peak memory, MiB |\n|---|---|---|---|---|---|\n")
	floor, hasFloor := samples[floorName]
	for _, p := range programs {
		own := samples[p.name]
		ratio := func(of func(sample) quartiles[time.Duration]) string {
			if !hasFloor {
				return "–"
			}
			return fmt.Sprintf("%.2f", float64(of(own).median)/float64(of(floor).median))
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %.1f |\n", p.name,
			milliseconds(own.wall()), ratio(sample.wall), milliseconds(own.cpu()), ratio(sample.cpu),
			float64(own.peak().median)/1024)
	}
	fmt.Fprintln(w)
}

// milliseconds is a median with its quartiles.
func milliseconds(q quartiles[time.Duration]) string {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return fmt.Sprintf("%.1f (%.1f–%.1f)", ms(q.median), ms(q.lower), ms(q.upper))
}

func (s sample) wall() quartiles[time.Duration] {
	return quartilesBy(s, func(u usage) time.Duration { return u.wall })
}
func (s sample) cpu() quartiles[time.Duration] {
	return quartilesBy(s, func(u usage) time.Duration { return u.cpu })
}
func (s sample) peak() quartiles[int] { return quartilesBy(s, func(u usage) int { return u.peak }) }
