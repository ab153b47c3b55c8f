package main

import (
	"flag"
	"strings"
)

// programFlag is a flag of the program, which has one meaning in all commands that have it.
type programFlag struct {
	*flag.Flag
	// commands are the names of those that have it; the check's is "".
	commands []string
	takes    flagValue
}

// flagValue is what kind of value a flag takes.
type flagValue struct {
	// name stands for the value in the help, and is empty for a flag without one.
	name string
	// of are the values that there are to choose from, if they are known.
	of []string
}

// The names of values that are in the file system.
const (
	valueFile   = "file"
	valueFolder = "folder"
)

// allFlags returns the flags of all commands, those of the check first.
func allFlags() []programFlag {
	var all []programFlag
	index := map[string]int{}
	for _, c := range commands() {
		c.flagSet(new(settings)).VisitAll(func(f *flag.Flag) {
			if i, ok := index[f.Name]; ok {
				all[i].commands = append(all[i].commands, c.name)
				return
			}
			index[f.Name] = len(all)
			all = append(all, programFlag{Flag: f, commands: []string{c.name}, takes: valueOf(f)})
		})
	}
	return all
}

// flagsOf returns the flags of one command.
func flagsOf(c command) []programFlag {
	var list []programFlag
	for _, f := range allFlags() {
		for _, name := range f.commands {
			if name == c.name {
				list = append(list, f)
			}
		}
	}
	return list
}

func valueOf(f *flag.Flag) flagValue {
	v := flagValue{}
	v.name, _ = flag.UnquoteUsage(f)
	switch value := f.Value.(type) {
	case *choice:
		v.of = value.of
	case *transportNames:
		v.of = knownTransports
	case *level:
		v.of = knownLevels
	}
	return v
}

// usageOf is a flag's line in the help.
func usageOf(f *flag.Flag) string {
	_, usage := flag.UnquoteUsage(f)
	return strings.ReplaceAll(usage, "\n", " ")
}
