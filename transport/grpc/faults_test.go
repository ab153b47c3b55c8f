package grpc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/transport"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.GRPC(), func(t *testing.T, n faulttest.Node) transport.Transport {
		opts := []Option{WithTarget(n.Addr)}
		if n.Addr == "" {
			opts = []Option{WithDialer(n.Dial)}
		}
		tr, err := New(transport.Endpoint{Host: frontHost, CAs: n.CAs}, n.Tokens, opts...)
		require.NoError(t, err)
		t.Cleanup(func() { tr.Close() })
		return tr
	})
}

func TestFaultsAreDocumented(t *testing.T) {
	t.Parallel()
	faulttest.Documented(t, "../../docs/faults.md", "TestFaults", faulttest.GRPC())
}
