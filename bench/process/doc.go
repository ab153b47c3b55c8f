// Command process measures what check-hotfix costs as a process, beside the yardsticks: the floor client, what one would
// script with curl, grpcurl, jq and mv, and a program that does nothing.
//
//	go run ./process -bin DIR [-rounds N] [-scenario NAME,...] [-program NAME,...] [-write FILE]
//
// DIR holds the programs: check-hotfix, floor, empty, launch and grpcurl. `make bench` builds them and calls this.
//
// All programs run against the same fakes, which are a process of their own, in rounds: each round runs every program once,
// in random order, from exec to exit, with no pointer on disk before. A run counts only if it staged what it had to; one that
// did not ends the measurement.
package main
