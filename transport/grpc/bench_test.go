package grpc

import (
	"crypto/x509"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/transport"
)

// BenchmarkFetchCold fetches one component, and all three side by side, as a node does when it boots: with the metadata
// service, TCP and TLS before the calls. The fakes' time is in it.
func BenchmarkFetchCold(b *testing.B) {
	for _, n := range []int{1, len(components)} {
		b.Run(fmt.Sprintf("documents=%d", n), func(b *testing.B) {
			lps, _, tokens := newNode(b)
			endpoint := transport.Endpoint{Host: frontHost, CAs: []*x509.Certificate{lps.CA().Certificate()}}
			b.ReportAllocs()
			for b.Loop() {
				tr, err := New(endpoint, tokens, WithTarget(lps.Addr()))
				require.NoError(b, err)
				fetchAll(b, tr, components[:n])
				require.NoError(b, tr.Close())
			}
		})
	}
}

// BenchmarkFetchOpen does the same over a connection that is open.
func BenchmarkFetchOpen(b *testing.B) {
	for _, n := range []int{1, len(components)} {
		b.Run(fmt.Sprintf("documents=%d", n), func(b *testing.B) {
			lps, _, tokens := newNode(b)
			tr := newTransport(b, lps.Addr(), lps.CA().Certificate(), tokens)
			fetchAll(b, tr, components[:1])
			b.ReportAllocs()
			for b.Loop() {
				fetchAll(b, tr, components[:n])
			}
		})
	}
}
