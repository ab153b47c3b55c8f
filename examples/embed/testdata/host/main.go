// Command host is what size.sh compares with: an agent that links grpc-go, generated messages and urfave/cli, without
// bootpointer. With the tag http it also uses the HTTP client of the standard library.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/bootpointer/bootpointer/internal/lpspb/hostpb"
)

// get is http.Get where the tag is set.
var get = func(string) error { return nil }

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	command := &cli.Command{Name: "agent", Flags: []cli.Flag{&cli.StringFlag{Name: "target"}}, Action: call}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command.Run(ctx, os.Args); err != nil {
		log.Error("agent failed", "error", err)
		os.Exit(1)
	}
}

func call(ctx context.Context, c *cli.Command) error {
	if err := get(c.String("target")); err != nil {
		return err
	}
	cc, err := grpc.NewClient(c.String("target"), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{})))
	if err != nil {
		return err
	}
	defer cc.Close()
	var out hostpb.GetComponentConfigResponse
	if err := cc.Invoke(ctx, "/some.Service/Method", &hostpb.GetComponentConfigRequest{}, &out); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out.GetConfig())
}
