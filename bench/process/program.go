package main

import "path/filepath"

// program is one of those that are compared.
type program struct {
	name string
	// file is the program's name in the folder of the programs.
	file string
	// args are its arguments on a node with its services around it.
	args func(node, surroundings) []string
	// idle programs stage nothing.
	idle bool
}

const floorName = "floor"

var programs = []program{
	{name: "check-hotfix", file: "check-hotfix", args: checkHotfixArgs},
	{name: floorName, file: "floor", args: floorArgs},
	{name: "floor, waits for SETTINGS", file: "floor", args: func(n node, s surroundings) []string {
		return append(floorArgs(n, s), "-wait-for-settings")
	}},
	{name: "empty program", file: "empty", args: func(node, surroundings) []string { return nil }, idle: true},
}

func (p program) path(bin string) string { return filepath.Join(bin, p.file) }

func checkHotfixArgs(n node, s surroundings) []string {
	return []string{
		"--node-config", n.config(), "--nbc-cmd", n.nbcCmd(), "--pointer", n.pointer(), "--events-dir", n.events(),
		"--target", s.Target, "--imds-endpoint", s.IMDS, "--current-version", "202604.01.0",
	}
}

func floorArgs(n node, s surroundings) []string {
	return []string{"-node-config", n.config(), "-pointer", n.pointer(), "-target", s.Target, "-imds-endpoint", s.IMDS}
}
