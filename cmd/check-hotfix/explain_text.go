package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// text is the explanation for people: where the file is, what is in it, and what that comes to.
func (e *explanation) text(t terminal) string {
	var b strings.Builder
	e.writeFile(&b, t)
	e.writeMembers(&b, t)
	for _, doubt := range e.Doubts {
		b.WriteString(t.paint(yellow, t.wrap("Not certain: "+doubt+".", 0)) + "\n")
	}
	style := bold
	if e.WouldUpgrade && len(e.Doubts) == 0 {
		style = green
	}
	b.WriteString(t.paint(style, t.wrap(e.Explanation, 0)) + "\n")
	return b.String()
}

// writeFile says what lies at the path.
func (e *explanation) writeFile(b *strings.Builder, t terminal) {
	b.WriteString(t.paint(bold, printable(e.Pointer)) + "\n")
	line := func(style, text string) { b.WriteString("  " + t.paint(style, t.wrap(text, 2)) + "\n") }
	if e.Target != "" {
		line("", "a link to "+printable(e.Target))
	}
	if e.State == stateAbsent {
		line("", "there is no such file: nothing is staged, which is what a node has before its first hotfix")
	}
	if e.Modified != "" {
		line(dim, fmt.Sprintf("%d bytes, changed %s", e.SizeBytes, e.Modified))
	}
	if e.Error != "" {
		line(red, printable(e.Error))
	}
	if e.Corrupt != "" {
		line(yellow, "beside it "+printable(e.Corrupt)+": what stood here before, and did not parse")
	}
	b.WriteByte('\n')
}

// row is a line of the listing: a name, a value and a note, with the indent of entries.
type row struct {
	indent            int
	name, value, note string
	style             string
}

func (e *explanation) writeMembers(b *strings.Builder, t terminal) {
	rows := e.rows()
	if len(rows) == 0 {
		return
	}
	name, value := 0, 0
	for _, r := range rows {
		name = max(name, r.indent+utf8.RuneCountInString(r.name))
		value = max(value, utf8.RuneCountInString(r.value))
	}
	for _, r := range rows {
		left := fmt.Sprintf("  %-*s  %-*s  ", name, strings.Repeat(" ", r.indent)+r.name, value, r.value)
		b.WriteString(strings.TrimRight(t.paint(r.style, left+t.wrap(r.note, utf8.RuneCountInString(left))), " ") + "\n")
	}
	b.WriteByte('\n')
}

// rows are the members in the order of the file, with the entries of the map below it.
func (e *explanation) rows() []row {
	var rows []row
	listed := false
	for _, m := range e.Members {
		rows = append(rows, row{name: ascii(m.Name), value: ascii(m.Value), note: m.Note})
		if m.Name == nameHotfixes && !listed {
			listed = true
			rows = append(rows, e.entryRows()...)
		}
	}
	if e.MembersOmitted > 0 {
		rows = append(rows, row{name: "…", note: fmt.Sprintf("%d more members", e.MembersOmitted)})
	}
	return rows
}

func (e *explanation) entryRows() []row {
	var rows []row
	for _, entry := range e.Entries {
		r := row{indent: 2, name: ascii(entry.Base), value: ascii(entry.Version), note: entry.Note}
		switch {
		case entry.ThisNode && entry.Counts:
			r.style = bold
		case !entry.Counts:
			r.style = yellow
		}
		rows = append(rows, r)
	}
	if e.EntriesOmitted > 0 {
		rows = append(rows, row{indent: 2, name: "…", note: fmt.Sprintf("%d more entries, none of this node's base", e.EntriesOmitted)})
	}
	return rows
}
