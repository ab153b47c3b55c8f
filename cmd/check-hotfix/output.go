package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/transport"
)

// printResult writes the result in the format that s asks for.
func printResult(w io.Writer, s *settings, r bootpointer.Result, t terminal) error {
	if s.output.value == "json" {
		return printJSON(w, r)
	}
	_, err := io.WriteString(w, resultText(r, s.dryRun, t))
	return err
}

// printJSON writes v as one line of JSON in ASCII: what came from elsewhere reaches no terminal as it is.
func printJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escapeJSON(b.String()))
	return err
}

// escapeJSON writes what is no printable ASCII in JSON as \u escapes.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case utf16.RuneLen(r) == 2:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// resultText is the result for people: one sentence, what was asked and answered, and what happens next.
func resultText(r bootpointer.Result, dryRun bool, t terminal) string {
	var b strings.Builder
	headline := t.wrap(string(r.Outcome)+": "+sentence(r), 0)
	b.WriteString(t.paint(outcomeStyle(r.Outcome), string(r.Outcome)) + strings.TrimPrefix(headline, string(r.Outcome)) + "\n")
	for _, a := range r.Attempts {
		writeAttempt(&b, a, t)
	}
	if r.Err != nil && !fromAttempts(r) {
		t.writeField(&b, "error", red, printable(r.Err.Error()))
	}
	for _, w := range r.Warnings {
		t.writeField(&b, "warning", yellow, printable(w))
	}
	t.writeField(&b, "pointer", "", printable(r.PointerPath)+": "+stagedWords(r, dryRun))
	t.writeField(&b, "next", bold, nextWords(r, dryRun))
	t.writeField(&b, "took", "", inUnits(r.Duration))
	return b.String()
}

// writeAttempt writes one step: what became of it, how long it took, and the fault if there was one.
func writeAttempt(b *strings.Builder, a transport.Attempt, t terminal) {
	style, verdict := classWords(a.Class)
	fmt.Fprintf(b, "  %-9s %s%8s\n", a.Step, t.paint(style, fmt.Sprintf("%-23s", verdict)), inUnits(a.Duration))
	if a.Reason != "" {
		t.writeField(b, "", "", string(a.Reason)+": "+reasonWords(a.Reason))
	}
	if a.Err != nil {
		t.writeField(b, "", dim, printable(a.Err.Error()))
	}
}

// writeField writes a name and its text, wrapped to the width of the terminal.
func (t terminal) writeField(b *strings.Builder, name, style, text string) {
	fmt.Fprintf(b, "  %-9s %s\n", name, t.paint(style, t.wrap(text, len("  pointer   "))))
}

// inUnits is a time for people.
func inUnits(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

func outcomeStyle(o bootpointer.Outcome) string {
	switch o {
	case bootpointer.OutcomeFailed:
		return red
	case bootpointer.OutcomeCustomDataFallback:
		return yellow
	default:
		return green
	}
}

// classWords is what a class means, and its style.
func classWords(c transport.Class) (style, words string) {
	switch c {
	case 0:
		return green, "answered"
	case transport.Benign:
		return green, "nothing for this node"
	case transport.Authoritative:
		return red, "refused, no fallback"
	default:
		return yellow, "no usable answer"
	}
}

func stagedWords(r bootpointer.Result, dryRun bool) string {
	switch {
	case !r.Staged:
		return "left as it was"
	case dryRun && r.Changed:
		return "would be changed (dry run, nothing is written)"
	case dryRun:
		return "would stay as it is, it says the same (dry run)"
	case r.Changed:
		return "changed"
	default:
		return "unchanged, it said the same"
	}
}

// nextWords is what follows on this node, and where to look further.
func nextWords(r bootpointer.Result, dryRun bool) string {
	switch {
	case r.Outcome == bootpointer.OutcomeFailed:
		return "the boot goes on; what was staged before still counts. check-hotfix probe finds the fault, check-hotfix explain tells what is staged"
	case !r.Staged:
		return "the boot goes on; what was staged before still counts. check-hotfix explain tells what that is"
	case r.WouldUpgrade && dryRun:
		return "download-hotfix would install " + r.ResolvedVersion
	case r.WouldUpgrade:
		return "download-hotfix installs " + r.ResolvedVersion
	default:
		return "the boot goes on; download-hotfix has nothing to install"
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
		return "no pointer was staged, the boot goes on"
	}
	who := "the service has"
	if r.Outcome == bootpointer.OutcomeCustomDataFallback {
		who = "no usable answer; with the node's own pointer merged in, the file has"
	}
	current := printable(r.CurrentVersion)
	switch {
	case r.WouldUpgrade:
		return fmt.Sprintf("%s hotfix %s for %s", who, r.ResolvedVersion, current)
	case r.ResolvedVersion != "":
		return fmt.Sprintf("%s %s, no upgrade for %s", who, r.ResolvedVersion, current)
	default:
		return fmt.Sprintf("%s no hotfix for %s", who, current)
	}
}

// reasonWords spells a reason out.
func reasonWords(r transport.Reason) string {
	switch r {
	case transport.ReasonConfig:
		return "the node's config has no usable endpoint or CA"
	case transport.ReasonIdentity:
		return "the metadata service gave no token"
	case transport.ReasonDNS:
		return "the front's name did not resolve"
	case transport.ReasonConnect:
		return "no connection, or lost before an answer"
	case transport.ReasonTLS:
		return "the TLS handshake failed"
	case transport.ReasonCertName:
		return "the certificate is for another name"
	case transport.ReasonCertUntrusted:
		return "the certificate is not from the cluster's CA"
	case transport.ReasonCertExpired:
		return "the certificate has expired"
	case transport.ReasonCertNotYetValid:
		return "the certificate is not valid yet, or the clock is behind"
	case transport.ReasonALPN:
		return "the peer speaks no protocol that was offered"
	case transport.ReasonHTTPStatus:
		return "HTTP answered in the service's place"
	case transport.ReasonDeadline:
		return "the peer stayed silent until the time was up"
	case transport.ReasonCanceled:
		return "the run was ended from outside"
	case transport.ReasonStatus:
		return "the service answered with a status"
	case transport.ReasonMalformed:
		return "the service's answer cannot be used"
	case transport.ReasonEmpty:
		return "the service has an empty document"
	case transport.ReasonNoPointer:
		return "none is embedded in this node"
	default:
		return ""
	}
}
