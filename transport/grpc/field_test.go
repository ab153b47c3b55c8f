package grpc

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/transport"
)

func TestT9IntermediateSent(t *testing.T) {
	t.Parallel()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	cert, err := ca.Issue(lpstest.WithIntermediate())
	require.NoError(t, err)
	n := faulttest.HealthyGRPC(t, lpstest.WithCA(ca), lpstest.WithCertificate(cert))

	_, err = fetch(t, newTransport(t, n.Addr, n.CAs[0], n.Tokens))

	assert.NoError(t, err)
}

func TestC3TwoCAsWithTheSameSubject(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Serve(component, document)
	old, err := lpstest.NewCA()
	require.NoError(t, err)
	require.Equal(t, old.Certificate().RawSubject, lps.CA().Certificate().RawSubject)
	for _, cas := range [][]*x509.Certificate{
		{old.Certificate(), lps.CA().Certificate()}, {lps.CA().Certificate(), old.Certificate()},
	} {
		tr, err := New(transport.Endpoint{Host: frontHost, CAs: cas}, transport.StaticToken(testToken), WithTarget(lps.Addr()))
		require.NoError(t, err)
		t.Cleanup(func() { tr.Close() })

		_, err = fetch(t, tr)

		assert.NoError(t, err)
	}
}

// The node config's name in all its spellings gives the right SNI, authority and address.
func TestC4Names(t *testing.T) {
	t.Parallel()
	for configured, want := range map[string]struct{ sni, authority, dialled string }{
		"Cluster.HCP.Region.Example.":         {frontHost, frontHost, frontHost + ":443"},
		"cluster.hcp.region.example:6443":     {frontHost, frontHost, frontHost + ":443"},
		"https://cluster.hcp.region.example/": {frontHost, frontHost, frontHost + ":443"},
		"10.0.0.4":                            {"", "10.0.0.4", "10.0.0.4:443"},
		"[fd00::1]:443":                       {"", "[fd00::1]", "[fd00::1]:443"},
	} {
		t.Run(configured, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.Start(t)
			lps.Serve(component, document)
			host, err := nodeconfig.NormalizeHost(configured)
			require.NoError(t, err)
			var dialled string
			tr, err := New(transport.Endpoint{Host: host, CAs: []*x509.Certificate{lps.CA().Certificate()}},
				transport.StaticToken(testToken), WithDialer(func(ctx context.Context, network, address string) (net.Conn, error) {
					dialled = address
					return new(net.Dialer).DialContext(ctx, network, lps.Addr())
				}))
			require.NoError(t, err)
			t.Cleanup(func() { tr.Close() })

			_, err = fetch(t, tr)

			require.NoError(t, err)
			assert.Equal(t, want.dialled, dialled)
			assert.Equal(t, want.sni, lps.Calls()[0].SNI)
			assert.Equal(t, want.authority, lps.Calls()[0].Authority)
		})
	}
}

func TestI1RateLimitedOnce(t *testing.T) {
	t.Parallel()
	fetchWithMetadata(t, imdstest.Status(429), imdstest.Reply{})
}

func TestI2SlowButWorking(t *testing.T) {
	t.Parallel()
	fetchWithMetadata(t, imdstest.Reply{Delay: 2500 * time.Millisecond})
}

func TestI6TrailingNewline(t *testing.T) {
	t.Parallel()
	fetchWithMetadata(t, imdstest.JSON(`{"signature":"`+testToken+`\n"}`))
}

// fetchWithMetadata wants a document from a node whose metadata service answers with replies.
func fetchWithMetadata(t *testing.T, replies ...imdstest.Reply) {
	t.Helper()
	lps := lpstest.Start(t)
	lps.Serve(component, document)
	fake := imdstest.Start(t)
	fake.Respond(replies...)
	tokens, err := imds.New(imds.WithEndpoint(fake.URL()))
	require.NoError(t, err)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), tokens)

	_, err = fetch(t, tr)

	require.NoError(t, err)
	assert.Len(t, lps.Calls(), 1)
}

// The API server in the service's place gets no request and no token.
func TestT8ImpostorSeesNothing(t *testing.T) {
	t.Parallel()
	peer := lpstest.StartImpostor(t, frontHost)
	tr := newTransport(t, peer.Addr(), peer.CA().Certificate(), transport.StaticToken(testToken))

	_, err := fetch(t, tr)

	requireError(t, err, transport.FallbackEligible, transport.ReasonCertName)
	assert.Empty(t, peer.Requests())
	require.Eventually(t, func() bool { return len(peer.Handshakes()) == 1 }, 5*time.Second, time.Millisecond)
	assert.Error(t, peer.Handshakes()[0].Err, "the node ends the handshake")
}

// Deadlines and durations come from the monotonic clock: none of the times that are compared has lost it.
func TestT10ClockJumps(t *testing.T) {
	t.Parallel()
	hasMonotonic := func(at time.Time) bool { return at != at.Round(0) } // Round(0) strips the reading
	var deadline time.Time
	tr := newTransport(t, "127.0.0.1:1", mustCA(t), tokenFunc(func(ctx context.Context) (string, error) {
		deadline, _ = ctx.Deadline()
		return "", errors.New("none")
	}))

	r := faulttest.Check(t, tr)

	assert.True(t, hasMonotonic(deadline))
	assert.True(t, hasMonotonic(r.Start))
}

func mustCA(t *testing.T) *x509.Certificate {
	t.Helper()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	return ca.Certificate()
}

// A rack of nodes meets a service that is down: two calls each, the second after a pause
// (that it is random is for the tests of internal/front).
//
// It is the one test here that does not run beside others: three hundred handshakes would eat up their budgets.
func TestG1Fleet(t *testing.T) {
	const nodes = 300
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Code: codes.Unavailable, Message: "down"})
	var wg sync.WaitGroup
	release := make(chan struct{})
	for range nodes {
		tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
		wg.Go(func() {
			<-release
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the machine may be slow, the rule is about calls
			defer cancel()
			_, err := tr.Fetch(ctx, request)
			assert.Equal(t, transport.FallbackEligible, transport.ClassOf(err), "%v", err)
		})
	}
	close(release)
	wg.Wait()

	calls := lps.Calls()
	assert.Len(t, calls, 2*nodes)
	perNode := map[string][]time.Time{}
	for _, c := range calls {
		perNode[c.Remote] = append(perNode[c.Remote], c.Time)
	}
	var pauses []time.Duration
	for _, times := range perNode {
		require.Len(t, times, 2)
		pauses = append(pauses, times[1].Sub(times[0]))
	}
	slices.Sort(pauses)
	assert.GreaterOrEqual(t, pauses[0], front.MinPause)
}
