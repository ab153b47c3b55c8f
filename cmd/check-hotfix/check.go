package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/telemetry/guestagent"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/fallback"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
	httpstransport "github.com/bootpointer/bootpointer/transport/https"
)

func checkCommand() command {
	return command{
		summary: "fetch, stage, report; the exit status is 0 in every case",
		description: "check-hotfix learns which hotfix applies to this node and stages the pointer to it, for download-hotfix\n" +
			"to act on. It asks the live-patching service in front of the API server; when nobody answers, it uses the\n" +
			"pointer in the node's own config. A boot does not stop for it: the exit status is 0 in every case, and the\n" +
			"process ends at the latest two seconds after --timeout.",
		examples: []example{
			{"check-hotfix", "fetch, stage, report: what a boot runs"},
			{"check-hotfix --dry-run", "write nothing, say what would be"},
			{"check-hotfix --output json | jq -r .outcome", "the result for a script"},
			{"check-hotfix --current-version 202604.01.0", "for another version than the one built in"},
			{"check-hotfix --transport grpc --transport https", "one after the other, in the same time"},
			{"check-hotfix explain", "why this node takes the hotfix it takes, or none"},
		},
		exits: "0 in every case, wrong flags included. The outcome says what happened.",
		bind:  (*settings).bindCheck,
		limit: func(s *settings) time.Duration { return time.Duration(s.timeout) + watchdogMargin },
		run:   check,
	}
}

// check runs the check that s asks for and prints its result. The exit status is 0 in every case.
func check(ctx context.Context, s *settings, stdout, stderr io.Writer) int {
	logger := newLogger(s, stderr)
	checker, closeTransports, err := newChecker(s, logger)
	if err != nil {
		usageError(stderr, checkCommand(), err)
		return 0
	}
	defer closeTransports()
	result := checker.Check(ctx)
	if err := printResult(stdout, s, result, newTerminal(stdout, os.LookupEnv)); err != nil {
		logger.Warn("result not printed", "error", err)
	}
	return 0
}

func newLogger(s *settings, stderr io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: &s.logLevel}
	var handler slog.Handler = slog.NewJSONHandler(stderr, opts)
	if s.logFormat.value == "text" {
		handler = slog.NewTextHandler(stderr, opts)
	}
	if s.dryRun {
		return slog.New(handler).With("dry_run", true)
	}
	return slog.New(handler)
}

// newChecker puts the parts together. Its errors are the user's.
func newChecker(s *settings, logger *slog.Logger) (_ *bootpointer.Checker, closeTransports func(), err error) {
	node := nodeconfig.New(nodeconfig.WithPath(s.nodeConfig), nodeconfig.WithNBCCmdPath(s.nbcCmd))
	tokens, err := imds.New(imds.WithEndpoint(s.imdsEndpoint), imds.WithLogger(logger))
	if err != nil {
		return nil, nil, err
	}
	steps, err := newSteps(s, node, tokens, logger)
	if err != nil {
		return nil, nil, err
	}
	embedded, err := fallback.New(bootpointer.DefaultComponent, node)
	if err != nil {
		return nil, nil, err
	}
	stager, err := newStager(s)
	if err != nil {
		return nil, nil, err
	}
	opts := []bootpointer.Option{
		bootpointer.WithComponent(s.component), bootpointer.WithTimeout(time.Duration(s.timeout)),
		bootpointer.WithFallback(embedded), bootpointer.WithLogger(logger),
	}
	if s.eventsDir != "" && !s.dryRun {
		events, err := guestagent.New(s.eventsDir)
		if err != nil {
			return nil, nil, err
		}
		opts = append(opts, bootpointer.WithReporter(events))
	}
	checker, err := bootpointer.New(steps, stager, s.currentVersion, opts...)
	return checker, func() { closeSteps(steps) }, err
}

// newSteps returns the network transports in the order in which they were asked for.
func newSteps(s *settings, endpoints transport.EndpointSource, tokens transport.TokenSource, logger *slog.Logger) ([]transport.Step, error) {
	var steps []transport.Step
	for _, name := range s.transports.names {
		build := newGRPC
		if name == "https" {
			build = newHTTPS
		}
		t, err := build(s, endpoints, tokens, logger)
		if err != nil {
			return nil, err
		}
		steps = append(steps, transport.Step{Name: name, Transport: t})
	}
	return steps, nil
}

// closeSteps closes the transports that keep a connection.
func closeSteps(steps []transport.Step) {
	for _, s := range steps {
		if t, ok := s.Transport.(io.Closer); ok {
			t.Close()
		}
	}
}

func newGRPC(s *settings, endpoints transport.EndpointSource, tokens transport.TokenSource, logger *slog.Logger) (transport.Transport, error) {
	opts := []grpctransport.Option{grpctransport.WithServerName(s.serverName), grpctransport.WithLogger(logger)}
	if s.target != "" {
		opts = append(opts, grpctransport.WithTarget(s.target))
	}
	return grpctransport.New(endpoints, tokens, opts...)
}

func newHTTPS(s *settings, endpoints transport.EndpointSource, tokens transport.TokenSource, logger *slog.Logger) (transport.Transport, error) {
	opts := []httpstransport.Option{httpstransport.WithServerName(s.serverName), httpstransport.WithLogger(logger)}
	if s.target != "" {
		opts = append(opts, httpstransport.WithTarget(s.target))
	}
	return httpstransport.New(endpoints, tokens, opts...)
}

func newStager(s *settings) (*pointer.Stager, error) {
	var opts []pointer.StagerOption
	if s.dryRun {
		opts = append(opts, pointer.WithDryRun())
	}
	return pointer.NewStager(s.pointer, opts...)
}
