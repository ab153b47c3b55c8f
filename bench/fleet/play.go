package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// show is all that was played.
type show struct {
	settings  settings
	handshake time.Duration
	// windows and herds have one scene for each mode.
	windows, herds []scene
	// repeated is how often a scene was played again because the machine had been in the way.
	repeated int
}

// play plays everything, writes the report to out, and to the documents if they are asked for.
func play(ctx context.Context, s settings, out io.Writer) error {
	sh := show{settings: s}
	var err error
	if sh.handshake, err = handshakeCost(ctx, handshakesMeasured); err != nil {
		return err
	}
	if sh.windows, err = sh.perform(ctx, crowd{s.nodes, s.window}, out); err != nil {
		return err
	}
	if sh.herds, err = sh.perform(ctx, crowd{nodes: s.herd}, out); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, part := range sh.sections() {
		fmt.Fprintf(out, "%s\n", part.text)
	}
	if err := sh.check(); err != nil {
		return err
	}
	if s.docs == "" {
		return nil
	}
	if slowed := sh.slowed(); len(slowed) > 0 {
		return fmt.Errorf("no valid run, the machine was the bottleneck, nothing is written:\n%s", strings.Join(slowed, "\n"))
	}
	return sh.writeDocs(s.docs)
}

// perform plays c in every mode.
func (sh *show) perform(ctx context.Context, c crowd, out io.Writer) ([]scene, error) {
	var scenes []scene
	for _, m := range modes() {
		s, err := sh.meetUndisturbed(ctx, m, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Fprintf(out, "%s, %s: %d nodes in %.1f s\n", c.name(), m.name, c.nodes, s.elapsed.Seconds())
		scenes = append(scenes, s)
	}
	return scenes, nil
}

// maxTries is how often a scene is played before the machine is taken to be too busy for it.
const maxTries = 3

// meetUndisturbed plays a scene again when the machine was in the way, if the figures are for the documents.
func (sh *show) meetUndisturbed(ctx context.Context, m mode, c crowd) (scene, error) {
	for try := 1; ; try++ {
		s, err := meet(ctx, m, c, sh.settings.seed)
		if err != nil || s.bottleneck() == "" || sh.settings.docs == "" || try == maxTries {
			return s, err
		}
		sh.repeated++
	}
}

// check returns an error that lists promises broken, the first few of them.
func (sh *show) check() error {
	var lines []string
	for _, scenes := range [][]scene{sh.windows, sh.herds} {
		for _, s := range scenes {
			lines = append(lines, s.broken()...)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	const most = 20
	text := strings.Join(lines[:min(most, len(lines))], "\n")
	return fmt.Errorf("%d promises broken:\n%s", len(lines), text)
}

// slowed returns the scenes in which the machine was in the way, one line each.
func (sh *show) slowed() []string {
	var lines []string
	for _, scenes := range [][]scene{sh.windows, sh.herds} {
		for _, s := range scenes {
			if why := s.bottleneck(); why != "" {
				lines = append(lines, fmt.Sprintf("%s, %s: %s", s.crowd.name(), s.mode.name, why))
			}
		}
	}
	return lines
}
