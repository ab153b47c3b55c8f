// Command launch runs one program and accounts for it: wall time, CPU time and peak memory of the process, from outside.
//
//	launch PROGRAM [ARGUMENT...] 3>usage
//
// The usage is written to file descriptor 3 as five numbers on one line: wall time in ns, user and system time in µs, peak
// resident memory in KiB and the exit status, 128 and more for a signal.
//
// It exists because Linux counts what a process has resident when it starts another as the other's, until that one
// has more: started by the harness, every program would seem to need the harness's memory. So this one imports next to
// nothing. Its own 2 MiB are the least that it can report.
package main
