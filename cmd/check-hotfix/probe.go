package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/bootpointer/bootpointer/internal/dial"
	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/internal/probe"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/transport"
)

// reportTime is what writing the --report may take.
const reportTime = 2 * time.Second

func probeCommand() command {
	return command{
		name:    "probe",
		summary: "walk the way to the service step by step and say what is wrong",
		description: "check-hotfix probe walks the way of the check layer by layer, with the node's own settings: node config, CA, metadata,\n" +
			"DNS, TCP, TLS, ALPN, the call, the pointer, the file it is staged in. It says what was tried, what came back and how long\n" +
			"it took, and ends with what is wrong and what to do next. It stages nothing, and writes nothing but the --report.\n\n" +
			"Every layer has its own time; with the default --timeout all of it takes at most 21 s,\n" +
			"and most faults show within 4 s. Ctrl-C ends it with what it has found so far.",
		examples: []example{
			{"check-hotfix probe", "what is wrong on this node?"},
			{"check-hotfix probe --report probe.html", "the same, and a page to attach to a ticket"},
			{"check-hotfix probe --transport grpc --transport https", "both ways to the service"},
			{"check-hotfix probe --output json | jq .diagnosis", "for machines"},
		},
		bind: (*settings).bindProbe,
		limit: func(s *settings) time.Duration {
			return probe.Limit(time.Duration(s.timeout), len(s.transports.names)) + reportTime + watchdogMargin
		},
		exits: "0 if a check would get an answer and could stage it, also if nothing is published for this node; 1 if not; 2 for\n" +
			"wrong flags or arguments.",
		failed: 1, misused: 2,
		run: runProbe,
	}
}

// bindProbe binds the flags of the probe. Those that the check has too have its defaults and variables.
func (s *settings) bindProbe(f *flag.FlagSet) {
	s.bindNode(f)
	s.bindNetwork(f)
	s.bindStaged(f)
	s.bindComponent(f)
	s.bindEvents(f)
	s.bindOutput(f)
	f.StringVar(&s.report, "report", "", "`file` to write the report to, as an HTML page")
}

// runProbe probes, prints the report, and writes the page if one is wanted.
func runProbe(ctx context.Context, s *settings, stdout, stderr io.Writer) int {
	c, err := probeConfig(s)
	if err == nil {
		err = refuseNodeFile(s)
	}
	if err != nil {
		usageError(stderr, probeCommand(), err)
		return probeCommand().misused
	}
	report := probe.Run(ctx, c)
	status := 1
	if report.Healthy {
		status = 0
	}
	// The page comes first: printing takes for ever when nobody reads.
	if s.report != "" {
		if err := writeReport(s.report, report); err != nil {
			fmt.Fprintf(stderr, "check-hotfix: the report %s is not written: %v\n", s.report, err)
			status = 1
		}
	}
	if err := printReport(stdout, s, report); err != nil {
		fmt.Fprintln(stderr, "check-hotfix: the report is not printed:", err)
		status = 1
	}
	return status
}

// refuseNodeFile keeps a report from replacing one of the node's own files.
func refuseNodeFile(s *settings) error {
	report, err := os.Stat(s.report)
	if err != nil {
		return nil // a new file, or none
	}
	for _, own := range []string{s.pointer, s.nodeConfig, s.nbcCmd} {
		if info, err := os.Stat(own); err == nil && os.SameFile(report, info) {
			return fmt.Errorf("--report %s is the node's own %s", s.report, own)
		}
	}
	return nil
}

// probeConfig puts together what a check with these settings would use. Its errors are the user's.
func probeConfig(s *settings) (probe.Config, error) {
	tokens, err := imds.New(imds.WithEndpoint(s.imdsEndpoint))
	if err != nil {
		return probe.Config{}, err
	}
	options := front.NewOptions()
	if s.target != "" {
		if err := options.SetTarget(s.target); err != nil {
			return probe.Config{}, err
		}
	}
	if err := options.SetServerName(s.serverName); err != nil {
		return probe.Config{}, err
	}
	resolver := dial.NewDialer().Resolver
	c := probe.Config{
		NodeConfig: s.nodeConfig, NBCCmd: s.nbcCmd, Tokens: tokens, Metadata: s.imdsEndpoint, Front: options,
		Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return resolver.LookupNetIP(ctx, "ip", host)
		},
		AskMetadata: tokens.URL(), Pointer: s.pointer, Events: s.eventsDir, CurrentVersion: s.currentVersion, Component: s.component, Timeout: time.Duration(s.timeout),
	}
	for _, name := range s.transports.names {
		c.Transports = append(c.Transports, probeTransport(s, name))
	}
	// What is wrong with a transport's options shows when it is built.
	_, err = newSteps(s, transport.Endpoint{}, tokens, slog.New(slog.DiscardHandler))
	return c, err
}

// probeTransport is the transport of that name, as the check builds it.
func probeTransport(s *settings, name string) probe.Transport {
	hello, build := front.GRPCHello, newGRPC
	if name == "https" {
		hello, build = func(string) front.Hello { return front.HTTPSHello(s.serverName) }, newHTTPS
	}
	return probe.Transport{Name: name, Hello: hello,
		New: func(endpoints transport.EndpointSource, tokens transport.TokenSource) (transport.Transport, error) {
			return build(s, endpoints, tokens, slog.New(slog.DiscardHandler))
		}}
}

func printReport(w io.Writer, s *settings, r probe.Report) error {
	if s.output.value == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	_, err := io.WriteString(w, reportText(r, newTerminal(w, os.LookupEnv)))
	return err
}

// writeReport writes the page, whole or not at all. It is written after an interruption too.
func writeReport(path string, r probe.Report) error {
	var page bytes.Buffer
	if err := r.HTML(&page); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), reportTime)
	defer cancel()
	_, err := pointer.ReplaceFile(ctx, path, page.Bytes())
	return err
}
