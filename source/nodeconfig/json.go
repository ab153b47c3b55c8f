package nodeconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var (
	errMissing   = errors.New("is missing")
	errNotObject = errors.New("is not an object")
	errNotString = errors.New("is not a string")
)

// ParseJSON reads an AKSNodeConfig in protojson, its field names in snake_case or camelCase. Of a field that comes
// twice the last value counts; null is no value. Fields it does not need may be unknown or broken. The error is
// for text that is not one JSON object.
func ParseJSON(b []byte) (Config, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	var members fields
	if err := members.read(b); err != nil {
		return Config{}, err
	}
	var c Config
	c.Host, c.hostErr = field("api_server_config.api_server_name", members.apiServerName, NormalizeHost)
	c.CAs, c.casErr = field("kubernetes_ca_cert", members.caCert, parseCAText)
	c.Hotfixes, c.hotfixesErr = hotfixes(members.hotfixes)
	return c, nil
}

// fields are the values this package needs, unread.
type fields struct {
	apiServerName, caCert, hotfixes json.RawMessage
}

func (f *fields) read(b []byte) error {
	err := eachMember(b, func(name string, value json.RawMessage) {
		switch name {
		case "api_server_config", "apiServerConfig":
			f.readAPIServer(value)
		case "kubernetes_ca_cert", "kubernetesCaCert":
			f.caCert = value
		case "hotfixes":
			f.hotfixes = value
		}
	})
	if err != nil {
		return cmp.Or(checkSyntax(b), errNotObject)
	}
	return nil
}

// readAPIServer adds to what an earlier one of these objects had. A value that is no object is as good as none.
func (f *fields) readAPIServer(b []byte) {
	_ = eachMember(b, func(name string, value json.RawMessage) {
		switch name {
		case "api_server_name", "apiServerName":
			f.apiServerName = value
		}
	})
}

// checkSyntax says where b stops being JSON without quoting it: the errors of encoding/json quote.
func checkSyntax(b []byte) error {
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("is empty")
	}
	var whole json.RawMessage
	if err, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(b, &whole)); ok {
		return fmt.Errorf("is not JSON from byte %d of %d on", err.Offset, len(b))
	}
	return nil
}

// eachMember visits the members of an object in their order, except those that are null. It fails unless b is one
// object and nothing else.
func eachMember(b []byte, visit func(name string, value json.RawMessage)) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return errNotObject
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if !isNull(value) {
			visit(name.(string), value)
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errNotObject
	}
	return nil
}

// field converts the text of one field, and names the field in the error.
func field[T any](name string, raw json.RawMessage, convert func(string) (T, error)) (T, error) {
	var zero T
	if raw == nil {
		return zero, fmt.Errorf("%s %w", name, errMissing)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return zero, fmt.Errorf("%s %w", name, errNotString)
	}
	value, err := convert(text)
	if err != nil {
		return zero, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}

func hotfixes(raw json.RawMessage) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	if raw[0] != '{' {
		return nil, fmt.Errorf("hotfixes %w", errNotObject)
	}
	if len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 {
		return nil, nil
	}
	return raw, nil
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }
