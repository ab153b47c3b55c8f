package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer"
)

// printResult writes the result in one of the formats of --output.
func printResult(w io.Writer, format string, r bootpointer.Result) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	_, err := io.WriteString(w, resultText(r))
	return err
}

// resultText is the result for people: one sentence, then a line per attempt and per warning.
func resultText(r bootpointer.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Outcome, sentence(r))
	if r.Staged {
		fmt.Fprintf(&b, "  pointer   %s (%s)\n", r.PointerPath, map[bool]string{true: "changed", false: "unchanged"}[r.Changed])
	}
	for _, a := range r.Attempts {
		fmt.Fprintf(&b, "  %-9s %-13s %4d ms", a.Step, a.Class, a.Duration.Milliseconds())
		if a.Err != nil {
			fmt.Fprintf(&b, "  %v", a.Err)
		}
		b.WriteByte('\n')
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "  warning   %s\n", w)
	}
	if r.Outcome == bootpointer.OutcomeFailed && r.Err != nil && len(r.Attempts) == 0 || r.Source != "" && r.Outcome == bootpointer.OutcomeFailed {
		fmt.Fprintf(&b, "  error     %v\n", r.Err)
	}
	fmt.Fprintf(&b, "  took      %s\n", r.Duration.Round(time.Millisecond))
	return b.String()
}

// sentence says what the outcome means for this node.
func sentence(r bootpointer.Result) string {
	switch r.Outcome {
	case bootpointer.OutcomeNoHotfixAvailable:
		return "nothing is published for this node"
	case bootpointer.OutcomeFailed:
		return "no pointer was staged, the node boots as it is"
	}
	from := "the service"
	if r.Outcome == bootpointer.OutcomeCustomDataFallback {
		from = "the node's own config, the service did not answer,"
	}
	switch {
	case r.WouldUpgrade:
		return fmt.Sprintf("%s has hotfix %s for %s", from, r.ResolvedVersion, r.CurrentVersion)
	case r.ResolvedVersion != "":
		return fmt.Sprintf("%s has %s, no upgrade for %s", from, r.ResolvedVersion, r.CurrentVersion)
	default:
		return fmt.Sprintf("%s has no hotfix for the base of %s", from, r.CurrentVersion)
	}
}

// printHelp writes the help, with the environment variable of every flag.
func printHelp(w io.Writer) {
	var b strings.Builder
	b.WriteString(`check-hotfix learns which hotfix applies to this node and stages the pointer to it.

Usage:
  check-hotfix [flags]    fetch, stage, report; the exit status is 0 in every case
  check-hotfix version    print the version

Examples:
  check-hotfix --dry-run                    what would this node stage?
  check-hotfix --output json | jq .outcome  the same for a script, and staged

Flags, each with its environment variable:
`)
	new(settings).flagSet().VisitAll(func(f *flag.Flag) {
		name, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  --%s %s\n        %s", f.Name, name, usage)
		if f.DefValue != "" && f.DefValue != "false" {
			fmt.Fprintf(&b, " (default %s)", f.DefValue)
		}
		if env := envName(f.Name); env != "" {
			fmt.Fprintf(&b, "\n        %s", env)
		}
		b.WriteByte('\n')
	})
	io.WriteString(w, b.String())
}
