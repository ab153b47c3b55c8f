package pointer

import (
	"bytes"
	"encoding/json"
	"maps"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// document is the text of the pointer file, of which only the hotfixes are ours.
type document struct {
	text    []byte
	members []member
	// hotfixes has the valid entries that the reader of the file sees.
	hotfixes map[string]string
	// tidy says that the reader sees nothing but these entries, and sees them in one member of the right name.
	tidy bool
}

// newDocument is what staging starts from where there is no file, or nothing in it.
func newDocument() document { return document{text: []byte("{}\n")} }

// isBlank reports whether there is nothing in a pointer file.
func isBlank(file []byte) bool {
	return len(bytes.Trim(bytes.TrimPrefix(file, byteOrderMark), jsonSpace)) == 0
}

// readDocument takes apart the bytes of a pointer file. The error says that they are not one JSON object.
func readDocument(file []byte) (document, error) {
	text := bytes.TrimPrefix(file, byteOrderMark)
	list, err := members(text)
	if err != nil {
		return document{}, err
	}
	d := document{text: text, members: list, hotfixes: map[string]string{}}
	named := 0
	exact := false
	for _, m := range list {
		if isHotfixes(m.name) {
			named++
			exact = m.name == memberHotfixes
		}
	}
	seen := readAsReader(text)
	for base, value := range seen {
		if version, ok := decodeString(value); ok && validEntry(base, version) {
			d.hotfixes[base] = version
		}
	}
	d.tidy = named == 1 && exact && len(seen) == len(d.hotfixes) && len(text) == len(file)
	return d, nil
}

// readAsReader returns the entries as encoding/json sees them, which folds the case of names, lets later entries
// win and merges maps. A member of another type has no entries.
func readAsReader(text []byte) map[string]json.RawMessage {
	var file struct {
		Hotfixes map[string]json.RawMessage `json:"hotfixes"`
	}
	_ = json.Unmarshal(text, &file)
	return file.Hotfixes
}

// has reports whether the reader sees these hotfixes already.
func (d document) has(hotfixes map[string]string) bool {
	return d.tidy && maps.Equal(d.hotfixes, hotfixes)
}

// with returns the text with these hotfixes in place of the ones it has, and every other byte as it was: the
// first member that the reader takes for the hotfixes is replaced and the others cut out with the comma before
// them. Where there is none, it becomes the last member.
func (d document) with(hotfixes map[string]string) ([]byte, error) {
	value, err := json.Marshal(hotfixes)
	if err != nil {
		return nil, err
	}
	ours := append([]byte(`"`+memberHotfixes+`":`), value...)
	out := make([]byte, 0, len(d.text)+len(ours)+1)
	copied, placed := 0, false
	for i, m := range d.members {
		switch {
		case !isHotfixes(m.name):
			continue
		case !placed:
			out = append(append(out, d.text[copied:m.start]...), ours...)
			placed = true
		default:
			out = append(out, d.text[copied:d.members[i-1].end]...)
		}
		copied = m.end
	}
	if !placed {
		copied = bytes.IndexByte(d.text, '{') + 1
		if n := len(d.members); n > 0 {
			copied = d.members[n-1].end
			ours = append([]byte{','}, ours...)
		}
		out = append(append(out, d.text[:copied]...), ours...)
	}
	return append(out, d.text[copied:]...), nil
}
