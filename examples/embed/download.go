package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/urfave/cli/v3"

	"github.com/bootpointer/bootpointer/pointer"
)

// downloadHotfix is the command that acts on the staged pointer. It stops where an agent would download: what the
// file says is checked again, since the agent may have been replaced meanwhile, and others write the file too.
func (a *agent) downloadHotfix() *cli.Command {
	return &cli.Command{Name: "download-hotfix", Usage: "install what the staged pointer names", Action: a.download}
}

func (a *agent) download(_ context.Context, c *cli.Command) error {
	staged, _, err := pointer.ReadFile(c.String("staged"))
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(a.out, "nothing is staged")
		return nil
	}
	if err != nil {
		return err
	}
	hotfix, ok := staged.Resolve(a.version)
	if !ok || !pointer.ShouldUpgrade(a.version, hotfix) {
		fmt.Fprintf(a.out, "%s stays\n", a.version)
		return nil
	}
	fmt.Fprintf(a.out, "would install %s over %s\n", hotfix, a.version)
	return nil
}
