package main

import (
	"strconv"
	"strings"

	"github.com/bootpointer/bootpointer/pointer"
)

// doubt lists what makes it uncertain that download-hotfix decides by the rules, which it does on every file that
// check-hotfix staged. It decodes the file with encoding/json, which folds the case of names and refuses a file with a
// value of the wrong type, and compares with semver, which takes more texts for versions.
func (e *explanation) doubt(file []byte, p pointer.Pointer) {
	if e.State == stateMalformed {
		e.Doubts = append(e.Doubts, "the file breaks the rules, and download-hotfix may still find a version in it")
		return
	}
	if _, ok := pointer.Base(e.CurrentVersion); !ok && strings.ContainsAny(e.CurrentVersion, "0123456789") {
		e.Doubts = append(e.Doubts, "the node's version is not YYYYMM.DD.PATCH, and download-hotfix may still compare it")
	}
	for _, m := range membersOf(file) {
		e.doubtMember(m, p)
	}
}

func (e *explanation) doubtMember(m member, p pointer.Pointer) {
	switch {
	case m.name == nameHotfixes:
		for _, entry := range membersOf(m.value) {
			e.doubtEntry(entry, p)
		}
	case m.name == nameVersion && p.Empty() && p.Version == "" && textOf(m.value) != "":
		e.addDoubt(m, "is left out, and download-hotfix may still take it for a version")
	case m.name == nameScripts && !isText(m.value):
		e.addDoubt(m, "is not a text, and download-hotfix may refuse the whole file")
	case !isKnown(m.name) && foldsToKnown(m.name):
		e.addDoubt(m, "has a name that download-hotfix may take for another, in small letters")
	}
}

// doubtEntry looks at the entries that were left out: nobody but the nodes of a base looks at its text, but a value
// that is none spoils the file for all.
func (e *explanation) doubtEntry(entry member, p pointer.Pointer) {
	if _, isKept := p.Hotfixes[entry.name]; isKept {
		return
	}
	switch {
	case !isText(entry.value):
		e.addDoubt(entry, "is not a text, and download-hotfix may refuse the whole file")
	case strings.HasPrefix(e.CurrentVersion, entry.name+"."):
		e.addDoubt(entry, "is left out, and download-hotfix may still take it for this node's")
	}
}

// addDoubt notes the first few.
func (e *explanation) addDoubt(m member, doubt string) {
	if len(e.Doubts) < maxListed {
		e.Doubts = append(e.Doubts, strconv.QuoteToASCII(cut(m.name, maxShown))+" "+doubt)
	}
}

// isText reports whether a value goes into a Go string: a JSON string, or null.
func isText(value []byte) bool { return value[0] == '"' || value[0] == 'n' }

func foldsToKnown(name string) bool {
	return strings.EqualFold(name, nameHotfixes) || strings.EqualFold(name, nameVersion) || strings.EqualFold(name, nameScripts)
}
