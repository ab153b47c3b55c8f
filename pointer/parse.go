package pointer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// MaxSize is the largest document in bytes that [Parse] reads: 1 MiB.
const MaxSize = 1 << 20

// ErrMalformed is the error of every document that cannot be used.
var ErrMalformed = errors.New("malformed pointer")

// The members of a pointer that count. Names match exactly, case included.
const (
	memberHotfixes = "hotfixes"
	memberVersion  = "version"
)

// Parse reads a pointer that a service sent or a node came with, for example
//
//	{"hotfixes":{"202604.01":"202604.01.1"}}
//
// A document that says nothing (no bytes at all, {}, an empty map, a legacy version alone) is an empty pointer and
// no error. Unknown members are passed over, with a warning where one would be an entry of the map. Entries that are not a base and a version of it are left out with a
// warning each, of which the first 20 are kept; if no entry is left, the document is malformed. Every other fault
// is [ErrMalformed] too: more than [MaxSize] bytes, no JSON object, a name twice, a member of the wrong type.
//
// The result shares no memory with b. Warnings come with an error too.
func Parse(b []byte) (Pointer, []Warning, error) {
	if len(b) > MaxSize {
		return Pointer{}, nil, fmt.Errorf("%w: %d bytes, at most %d are read", ErrMalformed, len(b), MaxSize)
	}
	return parse(b, uniqueMembers)
}

// parse parses b, whose members topLevel returns.
func parse(b []byte, topLevel func(object []byte) ([]member, error)) (Pointer, []Warning, error) {
	var w warnings
	p, err := parseDocument(b, topLevel, &w)
	if err != nil {
		return Pointer{}, w.list(), fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return p, w.list(), nil
}

func parseDocument(b []byte, topLevel func([]byte) ([]member, error), w *warnings) (p Pointer, err error) {
	if len(bytes.Trim(b, jsonSpace)) == 0 {
		return Pointer{}, nil
	}
	list, err := topLevel(b)
	if err != nil {
		return Pointer{}, err
	}
	for _, m := range list {
		switch {
		case m.name == memberHotfixes:
			p.Hotfixes, err = parseHotfixes(m.value, w)
		case m.name == memberVersion:
			p.Version, err = parseLegacy(m.value, w)
		case isHotfixes(m.name):
			w.add("member %s: ignored, the name is %q", quoted(m.name), memberHotfixes)
		case isEntry(m):
			w.add("entry %s: left out, it stands beside %q and not in it", quoted(m.name), memberHotfixes)
		}
		if err != nil {
			return Pointer{}, fmt.Errorf("member %q: %w", m.name, err)
		}
	}
	return p, nil
}

// isEntry reports whether a member would be a hotfix if it stood in the map, as where somebody published the map alone.
func isEntry(m member) bool {
	version, isString := decodeString(m.value)
	return isString && validEntry(m.name, version)
}

// parseHotfixes returns the valid entries of the map. A map that has entries has a valid one.
func parseHotfixes(value []byte, w *warnings) (map[string]string, error) {
	entries, err := uniqueMembers(value)
	if err != nil {
		return nil, err
	}
	hotfixes := make(map[string]string, len(entries))
	for _, e := range entries {
		version, isString := decodeString(e.value)
		if !isString {
			w.add("entry %s: left out, the value %s is not a string", quoted(e.name), quoted(string(e.value)))
			continue
		}
		if !validEntry(e.name, version) {
			w.add("entry %s: left out, %s is not a version of that base", quoted(e.name), quoted(version))
			continue
		}
		hotfixes[e.name] = version
	}
	if len(entries) > 0 && len(hotfixes) == 0 {
		return nil, errors.New("no entry is valid")
	}
	return hotfixes, nil
}

func parseLegacy(value []byte, w *warnings) (string, error) {
	version, isString := decodeString(value)
	if !isString {
		return "", errors.New("not a string")
	}
	if _, ok := parseVersion(version); !ok && version != "" {
		w.add("member %q: left out, %s is not a version", memberVersion, quoted(version))
		return "", nil
	}
	return version, nil
}

func uniqueMembers(object []byte) ([]member, error) {
	return membersOnce(object, func(string) bool { return true })
}

// uniqueOwnMembers allows others to have theirs twice, the legacy version too, of which the last one counts: they stand in
// the pointer file as somebody wrote them.
func uniqueOwnMembers(object []byte) ([]member, error) {
	return membersOnce(object, func(name string) bool { return name == memberHotfixes })
}

func membersOnce(object []byte, matters func(name string) bool) ([]member, error) {
	list, err := members(object)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(list))
	for _, m := range list {
		if seen[m.name] && matters(m.name) {
			return nil, fmt.Errorf("the name %s stands twice", quoted(m.name))
		}
		seen[m.name] = true
	}
	return list, nil
}

// isHotfixes reports whether encoding/json, with which the reader of the pointer file works, takes name for the
// member hotfixes: it folds case where no name matches exactly.
func isHotfixes(name string) bool { return strings.EqualFold(name, memberHotfixes) }
