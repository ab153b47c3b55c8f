package https

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/transport"
)

func build(t *testing.T, n faulttest.Node) transport.Transport {
	opts := []Option{WithTarget(n.Addr)}
	if n.Addr == "" {
		opts = []Option{WithDialer(n.Dial)}
	}
	tr, err := New(transport.Endpoint{Host: frontHost, CAs: n.CAs}, n.Tokens, opts...)
	require.NoError(t, err)
	return tr
}

func TestHTTPSFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.HTTPS(), build)
}

// What is wrong below HTTP is said in the same words as over gRPC.
func TestCommonFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.Common(faulttest.HealthyHTTPS), build)
}

func TestFaultsAreDocumented(t *testing.T) {
	t.Parallel()
	faulttest.Documented(t, "../../docs/faults.md", "TestHTTPSFaults", faulttest.HTTPS())
}
