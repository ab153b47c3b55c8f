package token

import (
	"bytes"
	"errors"
	"fmt"
)

// MaxSize is the largest token in bytes: 64 KiB, five times the largest attested signature (12 KiB).
const MaxSize = 64 << 10

// HeaderValue returns raw as the value of an HTTP header or of gRPC metadata. Trailing line breaks (\n, \r\n) are
// trimmed. What is left must be visible ASCII, 1 to [MaxSize] bytes. Errors say where a token is wrong and never
// hold a byte of it.
func HeaderValue(raw []byte) (string, error) {
	value := trimLineBreaks(raw)
	switch {
	case len(value) == 0:
		return "", errors.New("token is empty")
	case len(value) > MaxSize:
		return "", fmt.Errorf("token has %d bytes, at most %d are allowed", len(value), MaxSize)
	}
	for i, b := range value {
		if b < '!' || b > '~' {
			return "", fmt.Errorf("token cannot stand in a header: byte %d of %d is not visible ASCII", i+1, len(value))
		}
	}
	return string(value), nil
}

func trimLineBreaks(raw []byte) []byte {
	for {
		line, found := bytes.CutSuffix(raw, []byte("\n"))
		if !found {
			return raw
		}
		raw = bytes.TrimSuffix(line, []byte("\r"))
	}
}
