package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// bench measures programs against fakes.
type bench struct {
	launcher       string
	programs       []program
	fakes          fakes
	memory, disk   string // folders that nodes are made in
	warmUp, rounds int
}

// measurement is what was measured in one scenario.
type measurement struct {
	scenario scenario
	node     node
	samples  map[string]sample // by the program's name
	// trips are round trips on the line to the service, where there is a distance.
	trips []time.Duration
}

// sample has the runs of one program.
type sample []usage

func (s sample) wall() quartiles[time.Duration] {
	return quartilesBy(s, func(u usage) time.Duration { return u.wall })
}

func (s sample) cpu() quartiles[time.Duration] {
	return quartilesBy(s, func(u usage) time.Duration { return u.cpu })
}

// peak is in KiB.
func (s sample) peak() quartiles[int] { return quartilesBy(s, func(u usage) int { return u.peak }) }

func quartilesBy[T cmp.Ordered](s sample, value func(usage) T) quartiles[T] {
	values := make([]T, len(s))
	for i, u := range s {
		values[i] = value(u)
	}
	return quartilesOf(values)
}

// measure runs every program in every scenario once per round, in random order, so that what else the machine does meets
// all alike.
func (b bench) measure(ctx context.Context, scenarios []scenario, progress io.Writer) (measured []*measurement, err error) {
	defer func() {
		for _, m := range measured {
			err = errors.Join(err, m.node.remove())
		}
	}()
	for _, s := range scenarios {
		n, err := newNode(b.folder(s), b.fakes.CA)
		if err != nil {
			return measured, err
		}
		measured = append(measured, &measurement{scenario: s, node: n, samples: map[string]sample{}})
	}
	for round := range b.warmUp + b.rounds {
		fmt.Fprintf(progress, "round %d of %d\n", round+1, b.warmUp+b.rounds)
		for _, i := range rand.Perm(len(measured)) {
			m := measured[i]
			if !m.scenario.wants(round - b.warmUp) {
				continue
			}
			if err := b.round(ctx, m, round >= b.warmUp); err != nil {
				return measured, fmt.Errorf("%s: %w", m.scenario.name, err)
			}
		}
	}
	return measured, nil
}

// folder is where the node of a scenario is made.
func (b bench) folder(s scenario) string {
	if s.onDisk {
		return b.disk
	}
	return b.memory
}

// round runs every program once.
func (b bench) round(ctx context.Context, m *measurement, counts bool) error {
	around := b.fakes.Peers[m.scenario.name]
	for _, i := range rand.Perm(len(b.programs)) {
		p := b.programs[i]
		u, err := b.run(ctx, p, m, around)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if counts {
			m.samples[p.name] = append(m.samples[p.name], u)
		}
	}
	if around.Echo == "" || !counts {
		return nil
	}
	trip, err := roundTrip(around.Echo)
	m.trips = append(m.trips, trip)
	return err
}

// run runs one program once, and holds it to what it has to stage.
func (b bench) run(ctx context.Context, p program, m *measurement, around surroundings) (usage, error) {
	if err := m.node.reset(); err != nil {
		return usage{}, err
	}
	if p.args == nil {
		return launch(ctx, b.launcher, p.file)
	}
	u, err := launch(ctx, b.launcher, p.file, p.args(m.node, around)...)
	if err != nil {
		return usage{}, err
	}
	return u, m.node.requireStaged(m.scenario.staged())
}
