package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// results are all that was played.
type results struct {
	settings  settings
	handshake time.Duration
	// windows and herds have one trial for each mode.
	windows, herds []trial
	// repeated is how often a trial was played again because the machine had been in the way.
	repeated int
}

// runAll plays everything, writes the report to out, and to the documents if they are asked for.
func runAll(ctx context.Context, s settings, out io.Writer) error {
	rs := results{settings: s}
	var err error
	if rs.handshake, err = handshakeCost(ctx, handshakesMeasured); err != nil {
		return err
	}
	progress := log.New(out, "", 0)
	if rs.windows, err = rs.runModes(ctx, workload{s.nodes, s.window}, progress); err != nil {
		return err
	}
	if rs.herds, err = rs.runModes(ctx, workload{nodes: s.herd}, progress); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, part := range rs.sections() {
		fmt.Fprintf(out, "%s\n", part.text)
	}
	if err := rs.check(); err != nil {
		return err
	}
	if s.docs == "" {
		return nil
	}
	if bottlenecks := rs.bottlenecks(); len(bottlenecks) > 0 {
		return fmt.Errorf("no valid run, the machine was the bottleneck, nothing is written:\n%s", strings.Join(bottlenecks, "\n"))
	}
	return rs.writeDocs(s.docs)
}

// runModes plays w in every mode, one after the other unless only invariants are checked.
func (rs *results) runModes(ctx context.Context, w workload, progress *log.Logger) ([]trial, error) {
	trials := make([]trial, len(modes()))
	playing, ctx := errgroup.WithContext(ctx)
	playing.SetLimit(1)
	if rs.settings.together {
		playing.SetLimit(len(trials))
	}
	for i, m := range modes() {
		playing.Go(func() error {
			t, err := rs.runUndisturbed(ctx, m, w, progress)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			progress.Printf("%s, %s: %d nodes in %.1f s", w.name(), m.name, w.nodes, t.elapsed.Seconds())
			trials[i] = t
			return nil
		})
	}
	return trials, playing.Wait()
}

// maxTries is how often a trial is played before the machine is taken to be too busy for it.
const maxTries = 5

// runUndisturbed plays a trial again when the machine was in the way, if the figures are for the documents.
func (rs *results) runUndisturbed(ctx context.Context, m mode, w workload, progress *log.Logger) (trial, error) {
	for try := 1; ; try++ {
		t, err := runTrial(ctx, m, w, rs.settings.seed)
		if err != nil || rs.settings.docs == "" || try == maxTries {
			return t, err
		}
		why := t.bottleneck()
		if why == "" {
			return t, nil
		}
		progress.Printf("%s, %s: %s, once more", w.name(), m.name, why)
		rs.repeated++
	}
}

// check returns an error that lists invariants violated, the first few of them.
func (rs *results) check() error {
	var lines []string
	for _, trials := range [][]trial{rs.windows, rs.herds} {
		for _, t := range trials {
			lines = append(lines, t.violations()...)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	const most = 20
	text := strings.Join(lines[:min(most, len(lines))], "\n")
	return fmt.Errorf("%d invariants violated:\n%s", len(lines), text)
}

// bottlenecks returns the trials in which the machine was in the way, one line each.
func (rs *results) bottlenecks() []string {
	var lines []string
	for _, trials := range [][]trial{rs.windows, rs.herds} {
		for _, t := range trials {
			if why := t.bottleneck(); why != "" {
				lines = append(lines, fmt.Sprintf("%s, %s: %s", t.workload.name(), t.mode.name, why))
			}
		}
	}
	return lines
}
