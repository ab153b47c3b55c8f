package bootpointer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/telemetry/guestagent"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/fallback"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
)

// A node agent checks for a hotfix in fifteen lines. The settings are those of a node; here the fakes are in their
// place.
func Example() {
	node, metadata, service, dir, stop := fakes()
	defer stop()

	tokens, err := imds.New(imds.WithEndpoint(metadata))
	must(err)
	lps, err := grpctransport.New(node, tokens, grpctransport.WithTarget(service))
	must(err)
	defer lps.Close()
	embedded, err := fallback.New(bootpointer.DefaultComponent, node)
	must(err)
	events, err := guestagent.New(filepath.Join(dir, "events"))
	must(err)
	stager, err := pointer.NewStager(filepath.Join(dir, "hotfix.json"))
	must(err)
	checker, err := bootpointer.New([]transport.Step{{Name: "grpc", Transport: lps}}, stager, "202604.01.0",
		bootpointer.WithFallback(embedded), bootpointer.WithReporter(events))
	must(err)
	result := checker.Check(context.Background())

	fmt.Println(result.Outcome, result.ResolvedVersion, result.WouldUpgrade)
	// Output: lpsRead 202604.01.1 true
}

// fakes starts what a node finds around it.
func fakes() (node *nodeconfig.File, metadata, service, dir string, stop func()) {
	lps, err := lpstest.New()
	must(err)
	lps.Serve(bootpointer.DefaultComponent, `{"hotfixes":{"202604.01":"202604.01.1"}}`)
	instance, err := imdstest.New()
	must(err)
	dir, err = os.MkdirTemp("", "example-")
	must(err)
	config, err := json.Marshal(map[string]any{
		"apiServerConfig":  map[string]string{"apiServerName": "demo.hcp.region.example"},
		"kubernetesCaCert": lps.CA().PEM(),
	})
	must(err)
	path := filepath.Join(dir, "config.json")
	must(os.WriteFile(path, config, 0o600))
	return nodeconfig.New(nodeconfig.WithPath(path)), instance.URL(), lps.Addr(), dir, func() {
		lps.Close()
		instance.Close()
		os.RemoveAll(dir)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
