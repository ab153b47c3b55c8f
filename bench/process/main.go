package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "process:", err)
		stop()
		os.Exit(1)
	}
}

// run measures what args ask for, writes the tables to out and what it is at to progress.
func run(ctx context.Context, args []string, in io.Reader, out, progress io.Writer) (err error) {
	if len(args) == 1 && args[0] == serveArgument {
		return serveFakes(in, out)
	}
	s, err := parseSettings(args)
	if err != nil {
		return err
	}
	b := s.bench(progress)
	var stop func() error
	if b.fakes, stop, err = startFakes(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	measured, err := b.measure(ctx, s.scenarios, progress)
	if err != nil {
		return err
	}
	return b.report(out, measured)
}
