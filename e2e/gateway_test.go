//go:build e2e

package e2e_test

import (
	"path/filepath"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer/lpstest"
)

// T3: a gateway ends TLS and HTTP/2 in the service's name and answers 502 with a web page of its own.
func TestT3GatewayWithoutUpstream(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	cert, key := writeCertificate(t, c.ca)
	addr := freeAddress(t)
	config := writeConfig(t, "nginx-gateway.conf", map[string]string{
		"Dir": t.TempDir(), "Listen": addr, "Cert": cert, "Key": key, "Upstream": lpstest.StartRefusing(t).Addr(),
	})
	gateway := startProgram(t, &program{
		path:  installed(t, "nginx"),
		args:  []string{"-p", filepath.Dir(config), "-c", config, "-e", "stderr"},
		ready: listening(addr),
	})
	n := c.node(t, addr)

	r := n.check(t)

	assert.Equal(t, "failed", r.Outcome)
	a := r.Attempts[0]
	assert.Equal(t, "fallback", a.Class)
	assert.Equal(t, "http-status", a.Reason)
	assert.Equal(t, "502", a.Code)
	assert.Contains(t, a.Error, "502 Bad Gateway</title>", "the first words of the page")
	for _, char := range a.Error {
		assert.Truef(t, unicode.IsPrint(char), "%q in %q", char, a.Error)
	}
	assert.Empty(t, n.staged(t))
	assert.Contains(t, string(gateway.output()), "/akslivepatching.v1.LivePatchingService/GetComponentConfig HTTP/2.0")

	n.writeConfig(t, c.ca, embedded)
	assertEmbedded(t, n, n.check(t), "http-status")
}
