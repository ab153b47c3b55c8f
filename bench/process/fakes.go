package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

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

// surroundings are the addresses that a scenario's services have.
type surroundings struct {
	Target, IMDS string
}

// fakes are the services of all scenarios, by the scenario's name.
type fakes struct {
	CA    []byte // PEM
	Peers map[string]surroundings
}

// serveFakes starts the services, tells out where they are and serves until in ends.
func serveFakes(in io.Reader, out io.Writer) error {
	lps, err := lpstest.New()
	if err != nil {
		return err
	}
	defer lps.Close()
	lps.Serve(component, served)
	f := fakes{CA: lps.CA().PEM(), Peers: map[string]surroundings{}}
	for _, s := range scenarios {
		target, err := newService(s, lps)
		if err != nil {
			return err
		}
		defer target.Close()
		metadata, err := imdstest.New()
		if err != nil {
			return err
		}
		defer metadata.Close()
		metadata.Respond(imdstest.Reply{Delay: s.metadata})
		f.Peers[s.name] = surroundings{Target: target.Addr(), IMDS: metadata.URL()}
	}
	if err := json.NewEncoder(out).Encode(f); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

type peer interface {
	Addr() string
	io.Closer
}

func newService(s scenario, lps *lpstest.Server) (peer, error) {
	switch s.service {
	case refuses:
		return lpstest.NewRefusing()
	case hangs:
		return lpstest.NewSilent()
	}
	if s.rtt > 0 {
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
