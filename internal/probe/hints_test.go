package probe

import (
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What the resolver's error says in words only.
func TestDNSHint(t *testing.T) {
	t.Parallel()
	for hint, err := range map[string]error{
		"not-found":   &net.DNSError{Err: "no such host", IsNotFound: true},
		"silent":      &net.DNSError{Err: "i/o timeout", IsTimeout: true},
		"unreachable": &net.DNSError{Err: "read udp 127.0.0.1:38921->127.0.0.1:53: read: connection refused"},
		"":            &net.DNSError{Err: "server misbehaving"},
	} {
		assert.Equal(t, hint, dnsHint(err), err)
	}
	assert.Equal(t, "unreachable", dnsHint(&net.DNSError{Err: "dial udp 192.0.2.53:53: connect: network is unreachable"}))
}

func TestMetadataHint(t *testing.T) {
	t.Parallel()
	for hint, cause := range map[string]error{"reset": syscall.ECONNRESET, "unreachable": syscall.ECONNREFUSED} {
		assert.Equal(t, hint, metadataHint(fmt.Errorf("imds: %w", &net.OpError{Op: "read", Err: cause})))
	}
}
