// Command embed is a node agent in miniature with bootpointer in it: its own flags, logger, events and version, and
// the check in one function. Its tests show what those of a host look like.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// version is the agent's own version, which its build stamps in.
var version = "dev"

func main() {
	a := &agent{
		version: version,
		out:     os.Stdout,
		log:     slog.New(slog.NewTextHandler(os.Stderr, nil)),
		connect: connect,
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := a.command().Run(ctx, os.Args); err != nil {
		a.log.Error("agent failed", "error", err)
		os.Exit(1)
	}
}
