package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/bootpointer/bootpointer/internal/dial"
	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/internal/probe"
	"github.com/bootpointer/bootpointer/internal/symlinks"
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
			"Every layer has its own time; with the default --timeout all of it takes at most 26 s,\n" +
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

// refuseNodeFile keeps a report out of the place of the node's own files, also of those that do not exist yet, and of what
// is no file.
func refuseNodeFile(s *settings) error {
	if s.report == "" {
		return nil
	}
	if info, err := os.Lstat(s.report); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("--report %s is no regular file: %s", s.report, info.Mode())
	}
	report := place(s.report)
	own := []string{s.pointer, place(s.pointer) + ".corrupt", s.nodeConfig, s.nbcCmd}
	for _, file := range own {
		if report == place(file) || sameFile(s.report, file) {
			return fmt.Errorf("--report %s is the node's own %s", s.report, file)
		}
	}
	if s.eventsDir != "" && filepath.Dir(report) == place(s.eventsDir) {
		return fmt.Errorf("--report %s would be taken for an event", s.report)
	}
	return nil
}

// place is where a path leads to, whether there is anything or not.
func place(path string) string {
	if target, err := symlinks.Resolve(path); err == nil {
		path = target
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return path
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
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

// writeReport writes the page, whole or not at all, also after an interruption. What has its name by then is replaced, and
// neither followed nor asked for its owner: whoever may write to the folder could have put a link there.
func writeReport(path string, r probe.Report) (err error) {
	var page bytes.Buffer
	if err := r.HTML(&page); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	_, err = temp.Write(page.Bytes())
	if err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
