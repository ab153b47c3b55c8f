package guestagent

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/bootpointer/bootpointer"
)

// taskName is the name under which the events of a check are found.
const taskName = "AKS.AKSNodeController.CheckHotfix"

var _ bootpointer.Reporter = (*Writer)(nil)

// Report writes the event of a check; it implements [bootpointer.Reporter].
func (w *Writer) Report(ctx context.Context, r bootpointer.Result) error {
	return w.Write(ctx, EventOf(r))
}

// EventOf returns the event of a check, for hosts with an event writer of their own. Its message is fit to be written
// as it is: valid UTF-8, one line, at most [MaxMessage] bytes.
func EventOf(r bootpointer.Result) Event {
	level := Informational
	if r.Outcome == bootpointer.OutcomeFailed {
		level = Error
	}
	return Event{TaskName: taskName, Level: level, Message: clean(message(r)), Start: r.Start, End: r.Start.Add(r.Duration)}
}

// message puts a result into key=value pairs, the times behind a bar.
func message(r bootpointer.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "check-hotfix outcome=%s source=%s reason=%s code=%s attempts=%d staged=%t changed=%t current=%s resolved=%s",
		r.Outcome, value(r.Source), r.Reason, value(r.Code), len(r.Attempts), r.Staged, r.Changed,
		value(r.CurrentVersion), value(r.ResolvedVersion))
	if why := r.Cause(); why != "" {
		fmt.Fprintf(&b, " error=%q", why)
	}
	fmt.Fprintf(&b, "%sstartTime=%s endTime=%s durationMs=%d", bar,
		r.Start.UTC().Format(timeLayout), r.Start.Add(r.Duration).UTC().Format(timeLayout), r.Duration.Milliseconds())
	return b.String()
}

// value quotes what would otherwise look like more than one pair.
func value(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '=' || r == '"' }) {
		return strconv.Quote(s)
	}
	return s
}
