// Command check-hotfix learns which hotfix applies to this node and stages the pointer to it.
//
// It runs before kubelet, on every boot, and never holds that boot up: it exits with status 0 whatever happens, at
// the latest two seconds after its time-out. Its other commands are for people, and have exit statuses of their own.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const programName = "check-hotfix"

// version is the program's version, stamped in by the linker.
var version = "dev"

func main() {
	command, args := findCommand(os.Args[1:])
	status := command.failed
	// The check exits with status 0 also when main itself panics.
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "check-hotfix: panic: %v\n", p)
		}
		os.Exit(status)
	}()
	dog := startWatchdog(defaultTimeout+watchdogMargin, command.failed)
	signal.Ignore(syscall.SIGPIPE) // a reader that is gone must not stop the staging
	silenceLibraries()
	// For as long as the process lives: a signal in its last moments must not change the status.
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT)
	status = command.start(ctx, dog, args, os.LookupEnv, os.Stdout, os.Stderr)
}
