package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
)

// memoryDir is where Linux has a file system in memory.
const memoryDir = "/dev/shm"

// settings is what the command line asks for.
type settings struct {
	bin, script, also string
	rounds, warmUp    int
	scenarios         []scenario
}

func parseSettings(args []string) (s settings, err error) {
	flags := flag.NewFlagSet("process", flag.ContinueOnError)
	flags.StringVar(&s.bin, "bin", "", "`folder` of the programs")
	flags.StringVar(&s.script, "script", "", "`path` of the script to measure, too")
	flags.StringVar(&s.also, "also", "", "`path` of another build of check-hotfix to measure, too")
	flags.IntVar(&s.rounds, "rounds", 30, "measured rounds")
	flags.IntVar(&s.warmUp, "warm-up", 3, "rounds before those")
	names := flags.String("scenario", "", "`names` of scenarios, with commas between them; all if empty")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.bin == "" || s.rounds < 1 || s.warmUp < 0 || flags.NArg() > 0 {
		return s, errors.New("want -bin DIR, at least one round, and no other arguments")
	}
	s.scenarios, err = choose(*names)
	return s, err
}

// bench returns what is to be measured. A script that cannot run here is left out, and progress told.
func (s settings) bench(progress io.Writer) bench {
	b := bench{
		launcher: filepath.Join(s.bin, "launch"), programs: programsIn(s.bin),
		memory: memoryDir, disk: s.bin, warmUp: s.warmUp, rounds: s.rounds,
	}
	if s.also != "" {
		b.programs = append(b.programs, checkHotfix(s.also, s.also))
	}
	if s.script == "" {
		return b
	}
	p, err := scripted(s.script, s.bin)
	if err != nil {
		fmt.Fprintln(progress, "the script is left out:", err)
		return b
	}
	b.programs = append(b.programs, p)
	return b
}
