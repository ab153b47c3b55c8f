// Command check-hotfix learns which hotfix applies to this node and stages the pointer to it.
//
// It runs before kubelet, on every boot, and never holds that boot up: it exits with status 0 whatever happens, at
// the latest two seconds after its time-out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// version is the program's version, stamped in by the linker.
var version = "dev"

func main() {
	// Status 0 also when main itself panics.
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "check-hotfix: panic: %v\n", p)
		}
		os.Exit(0)
	}()
	dog := startWatchdog(defaultTimeout + watchdogMargin)
	signal.Ignore(syscall.SIGPIPE) // a reader that is gone must not stop the staging
	silenceLibraries()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	run(ctx, dog, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr)
}

// run is the command line: one of the subcommands, or the check itself.
func run(ctx context.Context, dog *watchdog, args []string, env lookupEnv, stdout, stderr io.Writer) {
	if len(args) > 0 && args[0] == "version" {
		if len(args) > 1 {
			usageError(stderr, errors.New("version takes no arguments"))
			return
		}
		fmt.Fprintln(stdout, version)
		return
	}
	s, err := parseSettings(args, env)
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(stdout)
		return
	case err != nil:
		usageError(stderr, err)
		return
	}
	dog.extend(time.Duration(s.timeout) + watchdogMargin)
	check(ctx, s, stdout, stderr)
}

func usageError(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "check-hotfix: %v\ncheck-hotfix: nothing was done; see check-hotfix --help\n", err)
}
