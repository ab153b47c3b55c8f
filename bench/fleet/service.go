package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/bootpointer/bootpointer/lpstest"
)

// serviceCommand is the first argument of the process that is the service.
const serviceCommand = "service"

// opening is what the service says first: where it is, and the cluster's CA.
type opening struct {
	Address string
	CA      []byte
}

// record is what the service saw between its start and its end.
type record struct {
	Calls, Handshakes []stamp
	CPU               time.Duration
}

// stamp is one event of a node.
type stamp struct {
	Node int
	At   time.Time
}

// started is what the service says when its clock runs.
const started = "started"

// runService is the service's process. It writes its [opening], starts when a line comes in and says so, and writes its
// [record] when the input ends, so that it never outlives whoever started it.
func runService(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet(serviceCommand, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it all
	name := flags.String("mode", "", "how the service behaves")
	admit := flags.Int("admit", 1, "calls that a rate limit lets through in 100 ms")
	if err := flags.Parse(args); err != nil {
		return err
	}
	m, ok := modeNamed(*name)
	if !ok {
		return fmt.Errorf("no mode %q", *name)
	}
	lps, err := lpstest.New()
	if err != nil {
		return err
	}
	defer lps.Close()
	hello := opening{Address: lps.Addr(), CA: lps.CA().PEM()}
	if m.refuses {
		port, err := lpstest.NewRefusing()
		if err != nil {
			return err
		}
		defer port.Close()
		hello.Address = port.Addr()
	}
	return converse(m, *admit, lps, hello, in, out)
}

func converse(m mode, admit int, lps *lpstest.Server, hello opening, in io.Reader, out io.Writer) error {
	lps.Serve(component, document)
	lps.Respond(m.replies...)
	answers := json.NewEncoder(out)
	if err := answers.Encode(hello); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	if !lines.Scan() {
		return errors.New("ended before it started")
	}
	before := cpuTime()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var later sync.WaitGroup
	var failed error
	if m.later != nil {
		later.Go(func() { failed = m.later(ctx, lps, admit) })
	}
	if err := answers.Encode(started); err != nil {
		return err
	}
	for lines.Scan() {
	}
	cancel()
	later.Wait()
	if failed != nil {
		return failed
	}
	return answers.Encode(record{Calls: calls(lps), Handshakes: handshakes(lps), CPU: cpuTime() - before})
}

func calls(lps *lpstest.Server) []stamp {
	stamps := []stamp{}
	for _, c := range lps.Calls() {
		stamps = append(stamps, stamp{Node: nodeOf(c.SNI), At: c.Time})
	}
	return stamps
}

func handshakes(lps *lpstest.Server) []stamp {
	stamps := []stamp{}
	for _, h := range lps.Handshakes() {
		stamps = append(stamps, stamp{Node: nodeOf(h.SNI), At: h.Time})
	}
	return stamps
}
