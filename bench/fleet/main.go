// Command fleet plays nodes that boot together against the fake live-patching service, in every way that the service
// may behave, and reports what that costs the service and the nodes.
//
//	fleet                 a boot window and a herd in every mode, as tables on stdout
//	fleet -docs ../docs   the same; tables and plots go to fleet.md and fleet/ of that folder
//	fleet -together -nodes 5 -window 500ms -herd 5   checks the nodes in seconds; the figures are worth nothing
//
// Every node is a real [bootpointer.Checker] with a gRPC transport, a connection, a node config and a pointer file of its own; the
// service is a process of its own. The exit status is 1 when a node did what it must not do, such as a third call, and
// when documents were asked for and the machine was too slow or too busy for the figures to be the design's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// run is the program, or its other half where the first argument says so.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) > 0 && args[0] == serviceCommand {
		return runService(args[1:], in, out)
	}
	s, err := parseSettings(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	return runAll(ctx, s, out)
}

// settings are the flags.
type settings struct {
	nodes, herd int
	window      time.Duration
	seed        uint64
	limit       time.Duration
	docs        string
	together    bool
}

// The most that one machine is asked for; beyond, ports and file descriptors run out before the service does.
const (
	maxNodes  = 10_000
	maxHerd   = 2_000
	maxWindow = time.Minute
)

func parseSettings(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	flags.IntVar(&s.nodes, "nodes", 1500, "nodes that boot within the window, per mode")
	flags.DurationVar(&s.window, "window", 12*time.Second, "the boot window")
	flags.IntVar(&s.herd, "herd", 150, "nodes that boot in the same instant, per mode")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of the arrivals; the product's own jitter has none")
	flags.DurationVar(&s.limit, "limit", 4*time.Minute, "end of the whole run")
	flags.StringVar(&s.docs, "docs", "", "folder whose fleet.md and fleet/ are written")
	flags.BoolVar(&s.together, "together", false, "play all modes at once, to check promises and not to measure")
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	switch {
	case flags.NArg() > 0:
		return settings{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case s.nodes < 1 || s.nodes > maxNodes:
		return settings{}, fmt.Errorf("-nodes must be 1 to %d", maxNodes)
	case s.herd < 1 || s.herd > maxHerd:
		return settings{}, fmt.Errorf("-herd must be 1 to %d", maxHerd)
	case s.window < bucket || s.window > maxWindow:
		return settings{}, fmt.Errorf("-window must be %v to %v", bucket, maxWindow)
	case s.together && s.docs != "":
		return settings{}, errors.New("-together and -docs exclude each other: nothing is measured")
	case s.limit <= 0:
		return settings{}, errors.New("-limit must be positive")
	}
	return s, nil
}
