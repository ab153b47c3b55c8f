package pointer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// jsonSpace is what JSON allows between tokens.
const jsonSpace = " \t\r\n"

// maxMembers is how many members one object may have: more than the 40,000 entries that [MaxSize] has room for.
const maxMembers = 1 << 16

// member is one name and value of a JSON object, with its place in the text.
type member struct {
	name string
	// The member is text[start:end], from the quote of its name to the end of its value.
	start, end int
	value      []byte
}

// members returns the members of the object that text consists of, in order, duplicates included. Nothing is
// copied but the names.
func members(text []byte) ([]member, error) {
	if err := checkSyntax(text); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	var list []member
	var value json.RawMessage
	for dec.More() {
		if len(list) == maxMembers {
			return nil, fmt.Errorf("more than %d members in an object", maxMembers)
		}
		m := member{start: int(dec.InputOffset())}
		// Nothing but a comma and blanks stands before the quote.
		m.start += bytes.IndexByte(text[m.start:], '"')
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m.name, _ = name.(string)
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		m.end = int(dec.InputOffset())
		m.value = text[m.end-len(value) : m.end]
		list = append(list, m)
	}
	return list, nil
}

// checkSyntax reports whether text is one JSON value, and where it is not.
func checkSyntax(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	}
	return err
}

// decodeString returns the text of a JSON string, and false for any other value.
func decodeString(value []byte) (string, bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(value, &s)
	return s, err == nil
}
