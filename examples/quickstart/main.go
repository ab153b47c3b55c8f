// Command quickstart shows bootpointer at work on a machine with nothing but Go.
//
// It starts a live-patching service and a metadata service on loopback, writes the config of a node into a temporary
// folder, and runs the same Checker that runs on real nodes, over real TLS, ALPN and gRPC: first with a service that
// has a hotfix, then with one that has none, then without any.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/fallback"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
)

const (
	// front is the name of the API server's front. Nothing answers to it: the demonstration dials loopback instead.
	front   = "demo.hcp.region.example"
	current = "202604.01.0"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	lps, err := lpstest.New()
	if err != nil {
		return err
	}
	defer lps.Close()
	metadata, err := imdstest.New()
	if err != nil {
		return err
	}
	defer metadata.Close()
	dir, err := os.MkdirTemp("", "quickstart-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writeNode(dir, lps.CA()); err != nil {
		return err
	}
	fmt.Fprintf(out, "A node that runs %s boots.\n", current)
	fmt.Fprintf(out, "  live-patching service  %s, with its own CA\n", lps.Addr())
	fmt.Fprintf(out, "  metadata service       %s\n", metadata.URL())
	fmt.Fprintf(out, "  the node's files       %s\n", dir)

	d := demo{out: out, dir: dir, lps: lps, metadata: metadata}
	lps.Serve(bootpointer.DefaultComponent, `{"hotfixes":{"202604.01":"202604.01.1"}}`)
	if err := d.scene("1. The service has a hotfix for this node"); err != nil {
		return err
	}
	d.tellCall()

	lps.Respond(lpstest.Reply{Code: codes.NotFound, Message: "nothing published for this node"})
	if err := d.scene("2. The service has nothing: a benign answer, the file stays as it is"); err != nil {
		return err
	}

	lps.Stop()
	if err := d.scene("3. The service is gone: the pointer in the node's config is used, and lowers nothing"); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThree boots, none held up. Next: README.md shows how to embed this and how to run it on a node.\n")
	return nil
}

// writeNode writes what a node has on disk when it boots: its config with an embedded pointer, and the pointer file
// as cloud-init left it.
func writeNode(dir string, ca *lpstest.CA) error {
	config, err := json.MarshalIndent(map[string]any{
		"api_server_config":  map[string]string{"api_server_name": front},
		"kubernetes_ca_cert": ca.PEM(), // JSON has it in base64
		"hotfixes":           map[string]string{"202604.01": "202604.01.0", "202607.15": "202607.15.2"},
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), config, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "hotfix.json"), []byte(`{"scripts_version":"202604.01.7"}`+"\n"), 0o644)
}

// demo is one node and the services around it.
type demo struct {
	out      io.Writer
	dir      string
	lps      *lpstest.Server
	metadata *imdstest.Server
}

// check is what a node does, with three paths and two addresses of its own.
func (d demo) check(ctx context.Context) (bootpointer.Result, error) {
	node := nodeconfig.New(nodeconfig.WithPath(filepath.Join(d.dir, "config.json")))
	tokens, err := imds.New(imds.WithEndpoint(d.metadata.URL()))
	if err != nil {
		return bootpointer.Result{}, err
	}
	lps, err := grpctransport.New(node, tokens, grpctransport.WithTarget(d.lps.Addr()))
	if err != nil {
		return bootpointer.Result{}, err
	}
	defer lps.Close()
	embedded, err := fallback.New(bootpointer.DefaultComponent, node)
	if err != nil {
		return bootpointer.Result{}, err
	}
	stager, err := pointer.NewStager(filepath.Join(d.dir, "hotfix.json"))
	if err != nil {
		return bootpointer.Result{}, err
	}
	checker, err := bootpointer.New([]transport.Step{{Name: "grpc", Transport: lps}}, stager, current,
		bootpointer.WithFallback(embedded))
	if err != nil {
		return bootpointer.Result{}, err
	}
	return checker.Check(ctx), nil
}

// scene runs one check and tells what happened.
func (d demo) scene(title string) error {
	fmt.Fprintf(d.out, "\n%s\n", title)
	r, err := d.check(context.Background())
	if err != nil {
		return err
	}
	for _, a := range r.Attempts {
		fmt.Fprintf(d.out, "  asked %-9s %-13s %3d ms", a.Step, a.Class, a.Duration.Milliseconds())
		if a.Err != nil {
			fmt.Fprintf(d.out, "  %v", a.Err)
		}
		fmt.Fprintln(d.out)
	}
	fmt.Fprintf(d.out, "  outcome         %s\n", r.Outcome)
	fmt.Fprintf(d.out, "  staged          %t, bytes written: %t\n", r.Staged, r.Changed)
	if r.ResolvedVersion != "" {
		fmt.Fprintf(d.out, "  for this node   %s, would upgrade: %t\n", r.ResolvedVersion, r.WouldUpgrade)
	}
	staged, err := os.ReadFile(r.PointerPath)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "  the file now    %s\n", strings.TrimSpace(string(staged)))
	return nil
}

// tellCall shows the last call from the service's side.
func (d demo) tellCall() {
	calls := d.lps.Calls()
	call := calls[len(calls)-1]
	fmt.Fprintf(d.out, "  the service saw SNI %s, ALPN %s\n", call.SNI, call.ALPN)
	fmt.Fprintf(d.out, "                  and a token of %d bytes, sent after its certificate proved the name\n", len(call.Token()))
	fmt.Fprintf(d.out, "                  %s\n", grpctransport.DefaultServerName)
}
