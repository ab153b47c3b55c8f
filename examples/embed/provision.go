package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/bootpointer/bootpointer/source/nodeconfig"
)

// provision is the command that stands for everything an agent does besides.
func (a *agent) provision() *cli.Command {
	return &cli.Command{Name: "provision", Usage: "join the cluster of the node's config",
		Action: func(ctx context.Context, c *cli.Command) error {
			endpoint, err := nodeconfig.New(nodeconfig.WithPath(c.String("config"))).Endpoint(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "would join the cluster at %s\n", endpoint.Host)
			return nil
		}}
}
