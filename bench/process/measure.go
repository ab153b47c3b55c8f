package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
)

// sample has the runs of one program in one scenario.
type sample []usage

// bench measures programs against fakes.
type bench struct {
	bin            string // the folder of the programs
	fakes          fakes
	memory, disk   string // parents of the nodes' folders
	warmUp, rounds int
}

// measure runs all programs of a scenario, round by round.
func (b bench) measure(s scenario, programs []program) (map[string]sample, error) {
	parent := b.memory
	if s.onDisk {
		parent = b.disk
	}
	n, err := newNode(parent, b.fakes.CA)
	if err != nil {
		return nil, err
	}
	defer n.remove()
	rounds, warmUp := b.rounds, b.warmUp
	if s.rounds > 0 {
		rounds, warmUp = min(rounds, s.rounds), min(warmUp, 1)
	}
	samples := map[string]sample{}
	for round := range warmUp + rounds {
		for _, i := range rand.Perm(len(programs)) {
			p := programs[i]
			u, err := b.run(s, p, n)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.name, p.name, err)
			}
			if round >= warmUp {
				samples[p.name] = append(samples[p.name], u)
			}
		}
	}
	return samples, nil
}

// run runs one program once, and holds it to what it has to stage.
func (b bench) run(s scenario, p program, n node) (usage, error) {
	if err := n.reset(); err != nil {
		return usage{}, err
	}
	u, err := launch(filepath.Join(b.bin, "launch"), p.path(b.bin), p.args(n, b.fakes.Peers[s.name])...)
	if err != nil || p.idle {
		return u, err
	}
	want := served
	if s.service != answers {
		want = `{"hotfixes":` + embedded + `}`
	}
	return u, n.staged(want)
}
