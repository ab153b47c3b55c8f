package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/fallback"
)

// checkHotfix is the whole of what embedding takes, but for the event writer.
func (a *agent) checkHotfix() *cli.Command {
	return a.neverFails(&cli.Command{Name: "check-hotfix", Action: a.check, Flags: []cli.Flag{
		&cli.StringFlag{Name: "metadata", Value: imds.DefaultEndpoint, Usage: "`URL` of the metadata service"},
		&cli.StringFlag{Name: "events", Value: "/var/log/agent/events.jsonl", Usage: "`file` that gets the event"},
		&cli.DurationFlag{Name: "wait", Value: bootpointer.DefaultTimeout, Usage: "`time` the network may take"},
	}})
}

func (a *agent) check(ctx context.Context, c *cli.Command) error {
	node := nodeconfig.New(nodeconfig.WithPath(c.String("config")))
	tokens, err := imds.New(imds.WithEndpoint(c.String("metadata")))
	if err != nil {
		return err
	}
	lps, err := a.connect(node, tokens)
	if err != nil {
		return err
	}
	defer lps.Close()
	embedded, err := fallback.New(bootpointer.DefaultComponent, node)
	if err != nil {
		return err
	}
	stager, err := pointer.NewStager(c.String("staged"))
	if err != nil {
		return err
	}
	checker, err := bootpointer.New([]transport.Step{{Name: "grpc", Transport: lps}}, stager, a.version,
		bootpointer.WithFallback(embedded), bootpointer.WithTimeout(c.Duration("wait")),
		bootpointer.WithReporter(eventLog(c.String("events"))), bootpointer.WithLogger(a.log))
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, checker.Check(ctx).Outcome)
	return nil
}
