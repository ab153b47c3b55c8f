// Command lps-sandbox is a place to try check-hotfix in: a live-patching service, a metadata service and the files of a
// node, all on this machine.
//
// It prints the command line to run check-hotfix with, and serves until it is interrupted. Short commands on stdin break
// one thing or another while it runs, and repair it; every request is told on stdout.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/grpc/grpclog"
)

// The exit statuses.
const (
	exitEnded     = 0 // by a signal, or by quit
	exitCannotRun = 1 // an address is taken, or the folder cannot be written
	exitUsage     = 2
)

// endingTime is what closing the services and removing the folder may take.
const endingTime = 2 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), ending()...)
	// The same signal often comes twice, to the process and to its group. Only when ending takes too long, as when stdout is
	// not read, does another one end the process at once.
	context.AfterFunc(ctx, func() { time.AfterFunc(endingTime, stop) })
	signal.Ignore(syscall.SIGPIPE) // a reader of stdout that is gone is no reason to leave the folder behind
	silenceLibraries()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// ending are the signals that end the sandbox. Under nohup, losing the terminal does not.
func ending() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// silenceLibraries keeps off stderr what gRPC and net/http print when their debug variables are set: the token is in it.
func silenceLibraries() {
	log.SetOutput(io.Discard)
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
}

// run is the whole program, from its arguments to its exit status.
func run(ctx context.Context, args []string, stdin *os.File, stdout, stderr io.Writer) int {
	s, err := parseSettings(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(stdout)
		return exitEnded
	case err != nil:
		fmt.Fprintf(stderr, "lps-sandbox: %v\nlps-sandbox: see lps-sandbox --help\n", err)
		return exitUsage
	}
	box, err := open(s)
	if err != nil {
		fmt.Fprintf(stderr, "lps-sandbox: %v\n", err)
		return exitCannotRun
	}
	defer box.close()
	c := console{box: box, stdout: stdout, stderr: stderr}
	c.serve(ctx, readLines(ctx, stdin))
	return exitEnded
}
