package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/urfave/cli/v3"

	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/transport"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
)

// agent is the program. Where it meets the world there is a field, and tests put fakes into it.
type agent struct {
	version string
	out     io.Writer
	log     *slog.Logger
	// connect builds the transport that asks the service.
	connect func(transport.EndpointSource, transport.TokenSource) (closingTransport, error)
}

// closingTransport is a transport that keeps a connection, so that whoever builds it closes it.
type closingTransport interface {
	transport.Transport
	io.Closer
}

// connect is how nodes ask the service.
func connect(endpoints transport.EndpointSource, tokens transport.TokenSource) (closingTransport, error) {
	return grpctransport.New(endpoints, tokens)
}

// command is the agent's command line. Every command reads the same two files, so their flags are the root's.
func (a *agent) command() *cli.Command {
	return &cli.Command{
		Name:    "agent",
		Usage:   "turn a machine into a node",
		Version: a.version,
		Writer:  a.out,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "config", Value: nodeconfig.DefaultPath, Usage: "`file` with the node's config"},
			&cli.StringFlag{Name: "staged", Value: pointer.DefaultPath, Usage: "`file` with the staged pointer"},
		},
		Commands: []*cli.Command{a.provision(), a.checkHotfix(), a.downloadHotfix()},
	}
}

// neverFails makes cmd one whose faults, a wrong flag included, are logged and do not fail the boot.
func (a *agent) neverFails(cmd *cli.Command) *cli.Command {
	forgive := func(err error) error {
		if err != nil {
			a.log.Error("nothing was done, the boot goes on", "command", cmd.Name, "error", err)
		}
		return nil
	}
	action := cmd.Action
	cmd.Action = func(ctx context.Context, c *cli.Command) error { return forgive(action(ctx, c)) }
	cmd.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error { return forgive(err) }
	return cmd
}
