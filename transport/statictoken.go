package transport

import (
	"context"
	"fmt"
	"io"
)

// StaticToken is a token that is known already, for tests and for hosts that have one. It prints as "[redacted]".
type StaticToken string

var _ TokenSource = StaticToken("")

// Token returns t.
func (t StaticToken) Token(context.Context) (string, error) { return string(t), nil }

// Format keeps the token out of what package fmt prints, whatever the verb.
func (StaticToken) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[redacted]") }

// MarshalText keeps the token out of JSON and of logs.
func (StaticToken) MarshalText() ([]byte, error) { return []byte("[redacted]"), nil }
