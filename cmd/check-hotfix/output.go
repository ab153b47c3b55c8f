package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer"
)

// printResult writes the result in the format that s asks for.
func printResult(w io.Writer, s *settings, r bootpointer.Result) error {
	if s.output.value == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	_, err := io.WriteString(w, resultText(r, s.dryRun))
	return err
}

// resultText is the result for people: one sentence, then a line per attempt and per warning.
func resultText(r bootpointer.Result, dryRun bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Outcome, sentence(r))
	if r.Staged {
		fmt.Fprintf(&b, "  pointer   %s (%s)\n", r.PointerPath, stagedWords(r.Changed, dryRun))
	}
	for _, a := range r.Attempts {
		fmt.Fprintf(&b, "  %-9s %-13s %4d ms", a.Step, a.Class, a.Duration.Milliseconds())
		if a.Err != nil {
			fmt.Fprintf(&b, "  %v", a.Err)
		}
		b.WriteByte('\n')
	}
	if r.Err != nil && !fromAttempts(r) {
		fmt.Fprintf(&b, "  error     %v\n", r.Err)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "  warning   %s\n", w)
	}
	fmt.Fprintf(&b, "  took      %s\n", r.Duration.Round(time.Millisecond))
	return b.String()
}

func stagedWords(changed, dryRun bool) string {
	switch {
	case dryRun && changed:
		return "would be changed, dry run"
	case dryRun:
		return "would stay as it is, dry run"
	case changed:
		return "changed"
	default:
		return "unchanged"
	}
}

// fromAttempts reports whether the error is that of the attempts, which have a line each.
func fromAttempts(r bootpointer.Result) bool {
	return len(r.Attempts) > 0 && r.Attempts[len(r.Attempts)-1].Err != nil
}

// sentence says what the outcome means for this node.
func sentence(r bootpointer.Result) string {
	switch r.Outcome {
	case bootpointer.OutcomeNoHotfixAvailable:
		return "nothing is published for this node"
	case bootpointer.OutcomeFailed:
		return "no pointer was staged, the node boots as it is"
	}
	who := "the service has"
	if r.Outcome == bootpointer.OutcomeCustomDataFallback {
		who = "no usable answer; with the node's own pointer merged in, the file has"
	}
	switch {
	case r.WouldUpgrade:
		return fmt.Sprintf("%s hotfix %s for %s", who, r.ResolvedVersion, r.CurrentVersion)
	case r.ResolvedVersion != "":
		return fmt.Sprintf("%s %s, no upgrade for %s", who, r.ResolvedVersion, r.CurrentVersion)
	default:
		return fmt.Sprintf("%s no hotfix for %s", who, r.CurrentVersion)
	}
}
