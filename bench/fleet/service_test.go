package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestService(t *testing.T) {
	t.Parallel()
	for _, m := range modes() {
		var out bytes.Buffer
		require.NoError(t, runService([]string{"-mode", m.name}, strings.NewReader("\n"), &out))
		var hello opening
		var said string
		var seen record
		answers := json.NewDecoder(&out)
		require.NoError(t, answers.Decode(&hello))
		require.NoError(t, answers.Decode(&said))
		require.NoError(t, answers.Decode(&seen))
		assert.NotEmpty(t, hello.Address)
		assert.Contains(t, string(hello.CA), "CERTIFICATE")
		assert.Empty(t, seen.Calls)
	}
}

func TestServiceRefuses(t *testing.T) {
	t.Parallel()
	assert.Error(t, runService([]string{"-mode", "sleepy"}, strings.NewReader("\n"), new(bytes.Buffer)))
	assert.Error(t, runService([]string{"-speed", "1"}, strings.NewReader("\n"), new(bytes.Buffer)))
	assert.Error(t, runService([]string{"-mode", "healthy"}, strings.NewReader(""), new(bytes.Buffer)), "its starter is gone")
}

func TestNodeOf(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 17, nodeOf(frontOf(17)))
	for _, other := range []string{"", "17", "node-", "node-x" + domain, "localhost"} {
		assert.Equal(t, -1, nodeOf(other), other)
	}
}

func TestHandshakeCost(t *testing.T) {
	t.Parallel()
	cost, err := handshakeCost(t.Context(), 3)
	require.NoError(t, err)
	assert.Positive(t, cost)
}
