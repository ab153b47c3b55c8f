package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer

	require.NoError(t, run(&out))

	for _, want := range []string{"lpsRead", "202604.01.1, would upgrade: true", "noHotfixAvailable", "customDataFallback",
		`{"scripts_version":"202604.01.7"`, `"202607.15":"202607.15.2"`, "ALPN aks-live-patching"} {
		assert.Contains(t, out.String(), want)
	}
}
