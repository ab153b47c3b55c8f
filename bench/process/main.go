package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// memoryDir is where Linux has a file system in memory.
const memoryDir = "/dev/shm"

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "process:", err)
		os.Exit(1)
	}
}

// run measures what args ask for, writes the tables to out and what it is at to progress.
func run(args []string, in io.Reader, out, progress io.Writer) (err error) {
	if len(args) == 1 && args[0] == serveArgument {
		return serveFakes(in, out)
	}
	flags := flag.NewFlagSet("process", flag.ContinueOnError)
	bin := flags.String("bin", "", "`folder` of the programs")
	script := flags.String("script", "", "`path` of the script to measure, too")
	also := flags.String("also", "", "`path` of another build of check-hotfix to measure, too")
	rounds := flags.Int("rounds", 30, "measured rounds")
	warmUp := flags.Int("warm-up", 3, "rounds before those")
	names := flags.String("scenario", "", "`names` of scenarios, with commas between them; all if empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 || *warmUp < 0 {
		return errors.New("there is nothing to measure in less than one round")
	}
	chosen, err := choose(*names)
	if err != nil {
		return err
	}
	b := bench{
		launcher: filepath.Join(*bin, "launch"), programs: programsIn(*bin),
		memory: memoryDir, disk: *bin, warmUp: *warmUp, rounds: *rounds,
	}
	if *also != "" {
		b.programs = append(b.programs, checkHotfix(*also, *also))
	}
	if *script != "" {
		p, err := scripted(*script, *bin)
		if err != nil {
			fmt.Fprintln(progress, "the script is left out:", err)
		} else {
			b.programs = append(b.programs, p)
		}
	}
	var stop func() error
	if b.fakes, stop, err = startFakes(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	measured, err := b.measure(chosen, progress)
	if err != nil {
		return err
	}
	return b.report(out, measured)
}

// report writes the tables.
func (b bench) report(out io.Writer, measured []*measurement) error {
	r := report{out, b.programs, b.rounds}
	r.printf("%s.\nMedians, with quartiles, of %d rounds after %d to warm up. Nodes in memory are on %s, those on disk on %s.\n\n",
		machine(), b.rounds, b.warmUp, fileSystem(b.memory), fileSystem(b.disk))
	var onLoopback *measurement
	for _, m := range measured {
		if m.scenario.name == loopbackName {
			onLoopback = m
		}
	}
	for _, m := range measured {
		r.table(m)
		if m.scenario.distant() && onLoopback != nil {
			r.bounds(m, onLoopback)
		}
	}
	if onLoopback != nil {
		if err := r.targets(onLoopback); err != nil {
			return err
		}
	}
	return r.sizes()
}
