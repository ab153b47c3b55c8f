package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/transport"
)

func TestStaticToken(t *testing.T) {
	t.Parallel()
	token, err := transport.StaticToken("MIIK").Token(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "MIIK", token)
}

func TestStaticTokenIsNotPrinted(t *testing.T) {
	t.Parallel()
	const token = transport.StaticToken("MIIK")
	config := struct{ Tokens transport.TokenSource }{token}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", token)
		fmt.Fprintf(&out, verb+"\n", config)
	}
	fmt.Fprintln(&out, token, fmt.Errorf("bad token %v", token))
	require.NoError(t, json.NewEncoder(&out).Encode(config))
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "token", token, "config", config)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", token, "config", config)

	assert.NotContains(t, out.String(), "MIIK")
	assert.NotContains(t, out.String(), fmt.Sprintf("%x", "MIIK"))
	assert.Contains(t, out.String(), "[redacted]")
}
