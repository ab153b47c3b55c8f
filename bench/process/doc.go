// Command process measures what check-hotfix costs as a process, beside the yardsticks: the floor client, what one would
// script with curl, grpcurl, jq and mv, and a program that does nothing.
//
//	process -bin DIR [-script PATH] [-also PATH] [-rounds N] [-warm-up N] [-scenario NAME,...]
//
// DIR holds the programs: check-hotfix, floor, empty, launch and, for the script, grpcurl. `make bench` builds them and calls
// this. With -also, two builds of check-hotfix are compared in one run. The tables go to standard output, in Markdown.
//
// All programs run against the same fakes, which are a process of their own, in rounds: each round runs every program once
// in every scenario, in random order, from exec to exit, with no pointer on disk before. A run counts only if it staged what
// it had to; one that did not ends the measurement.
package main
