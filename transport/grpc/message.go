package grpc

import (
	"errors"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of the service have nothing but strings. Generated code for them would register itself and build its
// reflection at the start of every program that links this package: 2 ms of a node's boot. FuzzReply compares this with
// the generated code.
const (
	componentNameField protowire.Number = 1 // of the request and of the response
	configField        protowire.Number = 2 // of the response
)

// appendRequest encodes a GetComponentConfigRequest.
func appendRequest(b []byte, component string) []byte {
	b = protowire.AppendTag(b, componentNameField, protowire.BytesType)
	return protowire.AppendString(b, component)
}

var (
	errUTF8        = errors.New("a string is not UTF-8")
	errFieldNumber = errors.New("impossible field number")
)

// parseReply decodes a GetComponentConfigResponse. As everywhere in protobuf, unknown fields are passed over and the last
// value of a field counts.
func parseReply(b []byte) (component, config string, err error) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return "", "", protowire.ParseError(n)
		}
		if !number.IsValid() {
			return "", "", errFieldNumber
		}
		b = b[n:]
		var value []byte
		if kind == protowire.BytesType {
			value, n = protowire.ConsumeBytes(b)
		} else {
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return "", "", protowire.ParseError(n)
		}
		b = b[n:]
		known := kind == protowire.BytesType && (number == componentNameField || number == configField)
		switch {
		case !known:
		case !utf8.Valid(value):
			return "", "", errUTF8
		case number == componentNameField:
			component = string(value)
		default:
			config = string(value)
		}
	}
	return component, config, nil
}
