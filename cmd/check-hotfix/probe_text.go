package main

import (
	"fmt"
	"strings"

	"github.com/bootpointer/bootpointer/internal/probe"
)

// The columns of a layer's line: status, title, time, and on a terminal a bar.
const (
	statusWidth = 7
	titleWidth  = 13
	timeWidth   = 8
	columnGaps  = 7 // blanks between the columns, and the two ends of the bar
	minBar      = 16
	maxBar      = 48
	// minWidth is the narrowest terminal that is written for; one that is narrower wraps by itself.
	minWidth = 40
	// indent is what the lines below a layer's begin with.
	indent = "         "
)

// reportText is the report for people: a line per layer with what came back below it, then the diagnosis. On a terminal
// each layer has a bar, its time as a part of the whole.
func reportText(r probe.Report, t terminal) string {
	var b strings.Builder
	bar := 0
	if t.width >= minWidth {
		bar = min(t.width-statusWidth-titleWidth-timeWidth-columnGaps, maxBar)
	}
	if bar < minBar {
		bar = 0
	}
	for _, l := range r.Layers {
		writeLayer(&b, r, l, t, bar)
	}
	writeDiagnosis(&b, r, t)
	return b.String()
}

func writeLayer(b *strings.Builder, r probe.Report, l probe.Layer, t terminal, bar int) {
	took := probe.Rounded(l.Duration)
	if l.Status == probe.Skipped {
		took = "-"
	}
	fmt.Fprintf(b, "%s  %-*s %*s", t.paint(statusStyle(l.Status), fmt.Sprintf("%-*s", statusWidth, l.Status)),
		titleWidth, l.Title(), timeWidth, took)
	if bar > 0 {
		b.WriteString("  " + barOf(r, l, t, bar))
	}
	b.WriteByte('\n')
	if l.Tried != "" && l.Status != probe.Skipped {
		writeWrapped(b, t, dim, "tried: "+l.Tried)
	}
	writeWrapped(b, t, "", l.Result)
	for _, d := range l.Details {
		if text := d.Text(); text != "" && text != l.Result && isShown(l, d) {
			writeWrapped(b, t, dim, d.Title()+": "+text)
		}
	}
}

// isShown reports whether a detail adds to what the result says: all of them do where something is odd.
func isShown(l probe.Layer, d probe.Detail) bool {
	if l.Status == probe.Failed || l.Status == probe.Warning {
		return true
	}
	switch d.Name {
	case "fields", "names", "issuer", "valid", "verdict_by", "members", "mode", "owner":
		return true
	}
	return false
}

// barOf is a bar between two lines. Where there are colours it is a stretch of background.
func barOf(r probe.Report, l probe.Layer, t terminal, size int) string {
	if l.Status == probe.Skipped {
		return "|" + strings.Repeat(" ", size) + "|"
	}
	from, width := l.Share(r.Duration, size)
	fill := strings.Repeat("=", width)
	if t.colours {
		fill = t.paint(statusStyle(l.Status)+";7", strings.Repeat(" ", width))
	}
	return "|" + strings.Repeat(" ", from) + fill + strings.Repeat(" ", size-from-width) + "|"
}

func statusStyle(s probe.Status) string {
	switch s {
	case probe.OK:
		return green
	case probe.Warning:
		return yellow
	case probe.Failed:
		return red
	}
	return dim
}

func writeDiagnosis(b *strings.Builder, r probe.Report, t terminal) {
	style, word := red, "NOT HEALTHY"
	if r.Healthy {
		style, word = green, "HEALTHY"
	}
	var head strings.Builder
	writeParagraph(&head, t, "", "", fmt.Sprintf("%s after %s, version %s, component %s", word, probe.Rounded(r.Duration), r.CurrentVersion, r.Component))
	b.WriteString("\n" + strings.Replace(head.String(), word, t.paint(bold+";"+style, word), 1))
	writeParagraph(b, t, bold, "", r.Diagnosis.Sentence)
	writeParagraph(b, t, "", "Next: ", r.Diagnosis.Next)
	if r.Diagnosis.Command != "" { // on a line of its own, so that it can be copied
		b.WriteString("  " + r.Diagnosis.Command + "\n")
	}
	for _, also := range r.Diagnosis.Also {
		writeParagraph(b, t, "", "Also: ", also)
	}
}

// writeWrapped writes a text below a layer.
func writeWrapped(b *strings.Builder, t terminal, style, text string) {
	b.WriteString(indent + t.paint(style, t.wrap(text, len(indent))) + "\n")
}

func writeParagraph(b *strings.Builder, t terminal, style, label, text string) {
	b.WriteString(t.paint(style, t.wrap(label+text, 0)) + "\n")
}
