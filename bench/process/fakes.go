package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// serveArgument has this program be the fakes, as a process of their own: their CPU time and memory are nobody's whom we
// measure.
const serveArgument = "serve-fakes"

// component is what the programs ask for, and served the service's document.
const (
	component = "aksNodeController"
	served    = `{"hotfixes":{"202604.01":"202604.01.1","202607.15":"202607.15.3"}}`
)

// surroundings are the addresses that a scenario's services have: those of the live-patching service and of the metadata
// service, and of somebody who sends back what he gets, from as far away as the first of them.
type surroundings struct {
	Target, IMDS, Echo string
}

// fakes are the services of all scenarios, by the scenario's name.
type fakes struct {
	CA    []byte // PEM
	Peers map[string]surroundings
}

// serveFakes starts the services, tells out where they are and serves until in ends.
func serveFakes(in io.Reader, out io.Writer) error {
	var peers peers
	defer peers.close()
	lps, err := lpstest.New()
	if err != nil {
		return err
	}
	peers.add(lps)
	lps.Serve(component, served)
	f := fakes{CA: lps.CA().PEM(), Peers: map[string]surroundings{}}
	for _, s := range scenarios() {
		around, err := peers.surround(s, lps)
		if err != nil {
			return err
		}
		f.Peers[s.name] = around
	}
	if err := json.NewEncoder(out).Encode(f); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// peers are servers that are up.
type peers []io.Closer

func (p *peers) add(c io.Closer) { *p = append(*p, c) }

func (p *peers) close() {
	for _, c := range slices.Backward(*p) {
		_ = c.Close()
	}
}

// surround starts what a scenario needs beside lps.
func (p *peers) surround(s scenario, lps *lpstest.Server) (surroundings, error) {
	metadata, err := imdstest.New()
	if err != nil {
		return surroundings{}, err
	}
	p.add(metadata)
	metadata.Respond(imdstest.Reply{Delay: s.metadata})
	target, err := newService(s, lps)
	if err != nil {
		return surroundings{}, err
	}
	p.add(target)
	around := surroundings{Target: target.Addr(), IMDS: metadata.URL()}
	if s.distant() {
		around.Echo, err = p.distantEcho(s.rtt)
	}
	return around, err
}

type peer interface {
	Addr() string
	io.Closer
}

func newService(s scenario, lps *lpstest.Server) (peer, error) {
	switch {
	case s.service == refuses:
		return lpstest.NewRefusing()
	case s.service == hangs:
		return lpstest.NewSilent()
	case s.distant():
		return lpstest.NewRelay(lps.Addr(), s.rtt/2)
	}
	return lps, nil
}

// startFakes starts the fakes' process. stop ends it.
func startFakes() (f fakes, stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return fakes{}, nil, err
	}
	cmd := exec.Command(self, serveArgument)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return fakes{}, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fakes{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return fakes{}, nil, err
	}
	stop = func() error { in.Close(); return cmd.Wait() }
	if err := json.NewDecoder(out).Decode(&f); err != nil {
		return fakes{}, nil, fmt.Errorf("fakes: %w", errors.Join(err, stop()))
	}
	return f, stop, nil
}
