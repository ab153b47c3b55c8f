package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// memoryDir is where Linux has a file system in memory.
const memoryDir = "/dev/shm"

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "process:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) (err error) {
	if len(args) == 1 && args[0] == serveArgument {
		return serveFakes(in, out)
	}
	b := bench{memory: memoryDir, disk: os.TempDir()}
	flags := flag.NewFlagSet("process", flag.ContinueOnError)
	flags.StringVar(&b.bin, "bin", "", "`folder` of the programs")
	flags.IntVar(&b.rounds, "rounds", 30, "measured rounds")
	flags.IntVar(&b.warmUp, "warm-up", 3, "rounds before those")
	only := flags.String("scenario", "", "`names` of scenarios, with commas; all of them if empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	var stop func() error
	if b.fakes, stop, err = startFakes(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for _, s := range chosen {
		samples, err := b.measure(s, programs)
		if err != nil {
			return err
		}
		writeTable(out, s, programs, samples)
	}
	return nil
}

// choose returns the scenarios with these names, all if there are none.
func choose(names string) ([]scenario, error) {
	if names == "" {
		return scenarios, nil
	}
	var chosen []scenario
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no scenario %q", name)
		}
		chosen = append(chosen, scenarios[i])
	}
	return chosen, nil
}
