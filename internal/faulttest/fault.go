package faulttest

import (
	"context"
	"crypto/x509"
	"net"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/fallback"
)

const (
	// FrontHost is the API server's name in these tests.
	FrontHost = "cluster.hcp.region.example"
	// Token is what the node presents.
	Token = "MIIKzAYJKoZIhvcNAQcCoIIKvTCCCrkCAQExDzANBgkqhkiG9w0BAQsFADCCARoGCSqGSIb3DQEHAaCCAQsEggEHeyJub25jZSI6"
	// Document is what a healthy service has, and what is embedded in the node.
	Document = `{"hotfixes":{"202604.01":"202604.01.1"}}`
)

// Node is a node's view of the world around it.
type Node struct {
	// Addr is where to dial; if it is empty, port 443 of [FrontHost] with Dial.
	Addr string
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Resolver is what Dial asks.
	Resolver *net.Resolver
	CAs      []*x509.Certificate
	Tokens   transport.TokenSource
	// Calls counts what reached a service: handler runs, or request streams.
	Calls func() int
}

// Fault is one row: what is wrong, and what has to be said of it.
type Fault struct {
	Set     func(t *testing.T) Node
	Class   transport.Class
	Reason  transport.Reason
	Code    string
	Cause   string // a piece of the attempt's error that a person can act on
	Outcome bootpointer.Outcome
	Calls   int
	// Waits says that the fault takes the whole budget, because only time tells; Tries, that it takes as much of it as
	// the pauses between tries leave.
	Waits, Tries bool
}

// The words of the tables.
const (
	Eligible      = transport.FallbackEligible
	Authoritative = transport.Authoritative
	Benign        = transport.Benign
	FellBack      = bootpointer.OutcomeCustomDataFallback
	Nothing       = bootpointer.OutcomeNoHotfixAvailable
	Failed        = bootpointer.OutcomeFailed
)

// budget is the network's time in these tests. What waits for it takes no longer than that and margin, which is
// generous because machines are busy.
const (
	budget = 4 * time.Second
	margin = 4 * time.Second
)

// Run runs every fault as a test of its own, with the transport that build makes for the node.
func Run(t *testing.T, faults map[string]Fault, build func(t *testing.T, n Node) transport.Transport) {
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == swallowedName && runtime.GOOS != "linux" {
				t.Skip("needs an accept queue that can be filled")
			}
			n := f.Set(t)

			r := Check(t, build(t, n))

			first := r.Attempts[0]
			require.Error(t, first.Err)
			assert.Equal(t, f.Class, first.Class, "%v", first.Err)
			assert.Equal(t, f.Reason, first.Reason, "%v", first.Err)
			assert.Equal(t, f.Code, first.Code, "%v", first.Err)
			assert.ErrorContains(t, first.Err, f.Cause)
			assert.NotContains(t, first.Err.Error(), "\n")
			assert.NotContains(t, first.Err.Error(), Token)
			assert.Equal(t, f.Outcome, r.Outcome)
			assert.Equal(t, f.Reason, r.Reason)
			assert.Equal(t, f.Outcome == FellBack, r.Staged)
			assert.Equal(t, f.Calls, n.Calls())
			assert.Less(t, r.Duration, budget+margin)
			switch {
			case f.Waits:
				assert.Greater(t, first.Duration, budget/2)
			case !f.Tries:
				assert.Less(t, first.Duration, budget/2, "nothing is waited for")
			}
		})
	}
}

// Check runs a Checker with tr and an embedded pointer.
func Check(t *testing.T, tr transport.Transport) bootpointer.Result {
	t.Helper()
	stager, err := pointer.NewStager(filepath.Join(t.TempDir(), "pointer.json"))
	require.NoError(t, err)
	embedded, err := fallback.New(bootpointer.DefaultComponent, fallback.Bytes(Document))
	require.NoError(t, err)
	checker, err := bootpointer.New([]transport.Step{{Name: "network", Transport: tr}}, stager, "202604.01.0",
		bootpointer.WithFallback(embedded), bootpointer.WithTimeout(budget))
	require.NoError(t, err)
	return checker.Check(t.Context())
}
