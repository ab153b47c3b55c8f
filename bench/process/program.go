package main

import (
	"os/exec"
	"path/filepath"
)

// program is one of those that are compared.
type program struct {
	name string
	// file is what is run, binary the file whose size counts.
	file, binary string
	// args are its arguments on a node with its services around it. A program without any stages nothing.
	args func(node, surroundings) []string
	// trips are the round trips to the service before the call: TCP, TLS and, for who waits for it, SETTINGS. 0 says that
	// nothing is promised about it.
	trips int
}

const (
	productName = "check-hotfix"
	floorName   = "floor"
)

// programsIn returns the programs in the folder bin.
func programsIn(bin string) []program {
	floor := filepath.Join(bin, "floor")
	idle := func(name, file string) program {
		path := filepath.Join(bin, file)
		return program{name: name, file: path, binary: path}
	}
	waits := func(n node, s surroundings) []string { return append(floorArgs(n, s), "-wait-for-settings") }
	return []program{
		checkHotfix(productName, filepath.Join(bin, "check-hotfix")),
		{name: floorName, file: floor, binary: floor, args: floorArgs, trips: 2},
		{name: "floor, waits for SETTINGS", file: floor, args: waits, trips: 3},
		idle("empty program", "empty"),
		idle("empty, links what floor links", "linksfloor"),
		idle("empty, links grpc-go", "linksgrpc"),
	}
}

// checkHotfix returns a build of the product.
func checkHotfix(name, path string) program {
	return program{name: name, file: path, binary: path, args: checkHotfixArgs, trips: 3}
}

// scripted returns the script at path, or an error that says what it lacks here.
func scripted(path, bin string) (program, error) {
	grpcurl := filepath.Join(bin, "grpcurl")
	for _, needed := range []string{grpcurl, "curl", "jq", path} {
		if _, err := exec.LookPath(needed); err != nil {
			return program{}, err
		}
	}
	args := func(n node, s surroundings) []string {
		return []string{grpcurl, n.config(), n.pointer(), s.Target, s.IMDS}
	}
	return program{name: "script with grpcurl", file: path, binary: grpcurl, args: args}, nil
}

func checkHotfixArgs(n node, s surroundings) []string {
	return []string{
		"--node-config", n.config(), "--nbc-cmd", n.nbcCmd(), "--pointer", n.pointer(), "--events-dir", n.events(),
		"--target", s.Target, "--imds-endpoint", s.IMDS, "--current-version", "202604.01.0",
	}
}

func floorArgs(n node, s surroundings) []string {
	return []string{"-node-config", n.config(), "-pointer", n.pointer(), "-target", s.Target, "-imds-endpoint", s.IMDS}
}
