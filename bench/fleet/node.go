package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/fallback"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
)

// domain is that of the fronts. Each node has a front of its own name, so that the service's records say whose a call is.
const domain = ".fleet.example"

func frontOf(node int) string { return "node-" + strconv.Itoa(node) + domain }

// nodeOf returns the node whose front is named, and -1 for any other name.
func nodeOf(front string) int {
	number, ok := strings.CutPrefix(strings.TrimSuffix(front, domain), "node-")
	if n, err := strconv.Atoi(number); ok && err == nil {
		return n
	}
	return -1
}

// node is one node with all that it has of its own.
type node struct {
	checker *bootpointer.Checker
	lps     *grpctransport.Transport
	network *network
}

// newNode returns a node whose disk is dir.
func newNode(dir string, id int, service opening, metadata string) (*node, error) {
	file, err := writeConfig(dir, frontOf(id), service.CA)
	if err != nil {
		return nil, err
	}
	tokens, err := imds.New(imds.WithEndpoint(metadata))
	if err != nil {
		return nil, err
	}
	net := new(network)
	lps, err := grpctransport.New(file, tokens, grpctransport.WithTarget(service.Address), grpctransport.WithDialer(net.dial))
	if err != nil {
		return nil, err
	}
	embedded, err := fallback.New(component, file)
	if err != nil {
		return nil, err
	}
	stager, err := pointer.NewStager(filepath.Join(dir, "hotfix.json"))
	if err != nil {
		return nil, err
	}
	checker, err := bootpointer.New([]transport.Step{{Name: "grpc", Transport: lps}}, stager, current,
		bootpointer.WithFallback(embedded))
	if err != nil {
		return nil, err
	}
	return &node{checker: checker, lps: lps, network: net}, nil
}

// writeConfig writes a node's config, a pointer embedded in it, into dir, which it makes.
func writeConfig(dir, front string, ca []byte) (*nodeconfig.File, error) {
	config, err := json.Marshal(map[string]any{
		"api_server_config":  map[string]string{"api_server_name": front},
		"kubernetes_ca_cert": ca,
		"hotfixes":           map[string]string{"202604.01": "202604.01.1"},
	})
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "config.json")
	return nodeconfig.New(nodeconfig.WithPath(path)), os.WriteFile(path, config, 0o600)
}

// nodeResult is what became of one node. Times are relative to the start of the trial.
type nodeResult struct {
	// arrival is when the node was due, done when it had its outcome.
	arrival, done time.Duration
	outcome       bootpointer.Outcome
	reason        transport.Reason
	staged        bool
	dials         []time.Duration
	conns         []span
	// sent and received are bytes above TCP, TLS included.
	sent, received int64
}

// boot runs the node's check, as the node's program does, and closes its connection, as the end of the program does.
func (n *node) boot(ctx context.Context, start time.Time, arrival time.Duration) nodeResult {
	check := n.checker.Check(ctx)
	r := nodeResult{arrival: arrival, done: time.Since(start), outcome: check.Outcome, reason: check.Reason, staged: check.Staged}
	_ = n.lps.Close()
	n.network.addTo(&r, start)
	return r
}

// makeNodes makes count nodes with their disks in dir.
func makeNodes(dir string, count int, service opening, metadata string) ([]*node, error) {
	nodes := make([]*node, count)
	for i := range nodes {
		var err error
		if nodes[i], err = newNode(filepath.Join(dir, strconv.Itoa(i)), i, service, metadata); err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
	}
	return nodes, nil
}
