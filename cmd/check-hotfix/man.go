package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
)

func manCommand() command {
	return command{
		name:     "man",
		summary:  "print the man page, check-hotfix(8)",
		examples: []example{{"check-hotfix man | man -l -", "read it without installing it"}},
		limit:    func(*settings) time.Duration { return watchdogMargin },
		failed:   1, misused: 2,
		run: func(_ context.Context, _ *settings, stdout, _ io.Writer) int {
			return printText(stdout, manPage(version, pageDate(version)))
		},
	}
}

// roff is a page in the macros of man(7).
type roff struct{ strings.Builder }

// section begins a section.
func (r *roff) section(name string) { r.WriteString(".SH " + name + "\n") }

// text writes paragraphs, which blank lines divide, with a macro between them.
func (r *roff) text(text, between string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			r.WriteString(between + "\n")
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			r.WriteString(escapeRoff(line) + "\n")
		}
	}
}

// item writes a tag in bold, and the paragraphs that hang from it.
func (r *roff) item(tag, text string) {
	r.WriteString(".TP\n\\fB" + escapeRoff(tag) + "\\fR\n")
	r.text(text, ".IP")
}

// escapeRoff has text mean itself, also where it begins a line: dashes are those of the command line, not of prose.
func escapeRoff(text string) string {
	return `\&` + strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "…", "...").Replace(text)
}

// pageDate is the date on the page, which formatters insist on: that of a release YYYYMM.DD.PATCH. Builds that are none
// have the same one, so that the same source makes the same page.
func pageDate(version string) string {
	base, _ := pointer.Base(version)
	date, err := time.Parse("200601.02", base)
	if err != nil {
		date = time.Unix(0, 0).UTC()
	}
	return date.Format(time.DateOnly)
}

// manPage returns the page.
func manPage(version, date string) string {
	r := new(roff)
	fmt.Fprintf(r, ".TH CHECK\\-HOTFIX 8 %s \"check\\-hotfix %s\" \"System Administration\"\n", date, escapeRoff(version))
	r.WriteString(".nh\n.ad l\n") // paths are long, and are copied from the page
	r.section("NAME")
	r.WriteString("check\\-hotfix \\- learn which hotfix applies to this node, and stage the pointer to it\n")
	r.section("SYNOPSIS")
	for i, c := range commands() {
		if i > 0 {
			r.WriteString(".br\n")
		}
		arguments := strings.TrimPrefix(usageLine(c), c.fullName())
		r.WriteString("\\fB" + escapeRoff(c.fullName()) + "\\fR" + escapeRoff(arguments) + "\n")
	}
	r.section("DESCRIPTION")
	r.text(checkCommand().description, ".PP")
	r.section("COMMANDS")
	for _, c := range commands()[1:] {
		r.item(c.name, c.about())
	}
	r.options()
	r.environment()
	r.files()
	r.section(`"EXIT STATUS"`)
	for _, c := range commands() {
		r.item(c.fullName(), c.exitWords())
	}
	r.section("EXAMPLES")
	for _, c := range commands() {
		for _, e := range c.examples {
			r.item(e.line, sentenceEnd(e.purpose))
		}
	}
	r.section(`"SEE ALSO"`)
	r.WriteString(".BR jq (1),\n.BR systemd.service (5)\n")
	return r.String()
}

// options lists the flags of all commands.
func (r *roff) options() {
	r.section("OPTIONS")
	r.text("A flag on the command line wins over its environment variable.", ".PP")
	for _, f := range allFlags() {
		text := usageOf(f.Flag) + "."
		if byDefault := defaultOf(f.Flag); byDefault != "" {
			text += "\nThe default is " + byDefault + "."
		}
		text += "\nTaken by " + strings.Join(fullNames(f.commands), ", ") + "."
		r.item(strings.TrimSpace("--"+f.Name+" "+f.takes.name), text)
	}
	r.item("-h, --help", "print the help of the command.")
}

func fullNames(names []string) []string {
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = command{name: name}.fullName()
	}
	return full
}

func (r *roff) environment() {
	r.section("ENVIRONMENT")
	r.text("An empty variable counts as unset, but for "+envName("events-dir")+", where it means none.", ".PP")
	for _, f := range allFlags() {
		if env := envName(f.Name); env != "" {
			r.item(env, "stands for --"+f.Name+".")
		}
	}
	r.item("NO_COLOR", "set to anything, text has no colours on a terminal; elsewhere it never has.")
	r.item("TERM", "dumb, empty or unset: the same.")
}

func (r *roff) files() {
	r.section("FILES")
	r.item(nodeconfig.DefaultPath, "the node's config: the API server's name, the cluster's CA, the embedded pointer.")
	r.item(nodeconfig.DefaultNBCCmdPath, "the shell command that set the node up, read where there is no config.")
	r.item(pointer.DefaultPath, "the staged pointer, for download-hotfix to act on.")
	r.item(pointer.DefaultPath+".corrupt", "what stood there before and did not parse.")
	r.item(defaultEventsDir, "one event per run, for the guest agent to collect.")
}

// sentenceEnd ends a text with a full stop, if it does not end a sentence already.
func sentenceEnd(text string) string {
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
