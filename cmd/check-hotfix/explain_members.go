package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bootpointer/bootpointer/pointer"
)

const (
	// maxListed is how many members, and how many entries of the map, are listed. This node's entry always is.
	maxListed = 20
	// maxShown is how many bytes of a name or a version are shown.
	maxShown = 64
)

// The members of the file that anyone reads.
const (
	nameHotfixes = "hotfixes"
	nameVersion  = "version"
	nameScripts  = "scripts_version"
)

// explainedMember is one member of the file. The values of members that mean nothing here are not shown: the path may
// be that of a file with secrets.
type explainedMember struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Note  string `json:"note"`
}

// explainedEntry is one entry of the map.
type explainedEntry struct {
	Base     string `json:"base"`
	Version  string `json:"version"`
	Counts   bool   `json:"counts"`
	ThisNode bool   `json:"this_node"`
	Note     string `json:"note"`
}

// member is a name and a value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object in order, those that stand twice too, and none of anything else.
func membersOf(object []byte) (list []member) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		var m member
		if err != nil || dec.Decode(&m.value) != nil {
			return list
		}
		m.name, _ = name.(string)
		list = append(list, m)
	}
	return list
}

// listMembers lists the members of the file, and the entries of the map.
func (e *explanation) listMembers(file []byte, p pointer.Pointer) {
	seen := map[string]bool{}
	for _, m := range membersOf(file) {
		again := seen[m.name]
		seen[m.name] = true
		if len(e.Members) < maxListed || !again && isKnown(m.name) {
			e.Members = append(e.Members, e.explainMember(m, again, p))
		} else {
			e.MembersOmitted++
		}
		if m.name == nameHotfixes && !again {
			e.listEntries(m.value, p)
		}
	}
}

func isKnown(name string) bool {
	return name == nameHotfixes || name == nameVersion || name == nameScripts
}

func (e *explanation) explainMember(m member, again bool, p pointer.Pointer) explainedMember {
	shown := explainedMember{Name: cut(m.name, maxShown), Value: kindOf(m.value)}
	switch {
	case again && (m.name == nameHotfixes || m.name == nameVersion):
		shown.Note = "stands twice, so that the file is malformed"
	case m.name == nameHotfixes:
		shown.Value, shown.Note = mapWords(m.value), "the map from base to version: looked at first"
		if e.State == stateRead && p.Empty() {
			shown.Note = "the map from base to version: empty, so that the legacy version counts"
		}
	case m.name == nameVersion:
		shown.Value, shown.Note = textOf(m.value), e.legacyNote(m.value, p)
	case m.name == nameScripts:
		shown.Value, shown.Note = textOf(m.value), "for the node's scripts: plays no part here; kept"
	case strings.EqualFold(m.name, nameHotfixes):
		shown.Note = "not the map, whose name is all in small letters: passed over, and removed by the next staging"
	case foldsToKnown(m.name):
		shown.Note = "unknown, since names are in small letters: passed over, kept"
	default:
		shown.Note = "unknown: passed over, kept"
	}
	return shown
}

// mapWords says how much there is in the map.
func mapWords(value json.RawMessage) string {
	if value[0] != '{' {
		return kindOf(value)
	}
	n := len(membersOf(value))
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// legacyNote says what the legacy version is good for.
func (e *explanation) legacyNote(value json.RawMessage, p pointer.Pointer) string {
	switch {
	case e.State == stateMalformed:
		return "legacy: not looked at in a malformed file"
	case !p.Empty():
		return "legacy: does not count, since the map has entries; kept"
	case textOf(value) == "":
		return "legacy: empty"
	case p.Version == "":
		return "legacy: left out, it is not YYYYMM.DD.PATCH"
	default:
		return "legacy: counts, since the map has no entries"
	}
}

// listEntries lists the entries of the map: this node's, and the first ones.
func (e *explanation) listEntries(object []byte, p pointer.Pointer) {
	base, _ := pointer.Base(e.CurrentVersion)
	for _, m := range membersOf(object) {
		entry := e.explainEntry(m, p)
		entry.ThisNode = m.name == base && base != ""
		if len(e.Entries) >= maxListed && !entry.ThisNode {
			e.EntriesOmitted++
			continue
		}
		e.Entries = append(e.Entries, entry)
	}
}

func (e *explanation) explainEntry(m member, p pointer.Pointer) explainedEntry {
	entry := explainedEntry{Base: cut(m.name, maxShown), Version: textOf(m.value)}
	version, isKept := p.Hotfixes[m.name]
	entry.Counts = isKept
	base, isVersion := pointer.Base(e.CurrentVersion)
	switch {
	case isKept && isVersion && m.name == base:
		entry.Note = "this node's base: " + comparison(e.CurrentVersion, version)
	case isKept && !isVersion:
		entry.Note = "not compared: the node's version is not YYYYMM.DD.PATCH"
	case isKept:
		entry.Note = "another base"
	default:
		entry.Note = whyLeftOut(m)
	}
	return entry
}

// whyLeftOut says what is wrong with an entry that does not count.
func whyLeftOut(m member) string {
	var version string
	if json.Unmarshal(m.value, &version) != nil || m.value[0] != '"' {
		return "left out: the value is not a string"
	}
	if _, isBase := pointer.Base(m.name + ".0"); !isBase {
		return "left out: the name is not a base YYYYMM.DD"
	}
	if base, _ := pointer.Base(version); base != m.name {
		return "left out: the value is not that base and a patch"
	}
	return "not looked at in a malformed file"
}

// textOf returns a string's text, and what it is of any other value.
func textOf(value json.RawMessage) string {
	var text string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return kindOf(value)
	}
	return cut(text, maxShown)
}

// kindOf says what a value is without showing it.
func kindOf(value json.RawMessage) string {
	kind := "text"
	switch value[0] {
	case '{':
		kind = "object"
	case '[':
		kind = "list"
	case '"':
	case 't', 'f', 'n':
		return string(value)
	default:
		return "number"
	}
	return fmt.Sprintf("%s, %d bytes", kind, len(value))
}
