package https

import (
	"context"
	"crypto/x509"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
)

// What a metadata service may do and still be used.
func TestMetadata(t *testing.T) {
	t.Parallel()
	for name, replies := range map[string][]imdstest.Reply{
		"I1 rate limited once": {imdstest.Status(429), {}},
		"I2 slow but working":  {{Delay: 2500 * time.Millisecond}},
		"I6 trailing newline":  {imdstest.JSON(`{"signature":"` + testToken + `\n"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.StartHTTPS(t)
			lps.Serve(document)
			fake := imdstest.Start(t)
			fake.Respond(replies...)
			tokens, err := imds.New(imds.WithEndpoint(fake.URL()))
			require.NoError(t, err)

			_, err = fetch(t, newTransport(t, lps, tokens))

			require.NoError(t, err)
			assert.Len(t, lps.Requests(), 1)
		})
	}
}

// The API server in the service's place gets no request and no token.
func TestT8ImpostorSeesNothing(t *testing.T) {
	t.Parallel()
	peer := lpstest.StartImpostor(t, frontHost)
	tr, err := New(transport.Endpoint{Host: frontHost, CAs: []*x509.Certificate{peer.CA().Certificate()}},
		transport.StaticToken(testToken), WithTarget(peer.Addr()))
	require.NoError(t, err)

	_, err = fetch(t, tr)

	requireError(t, err, transport.FallbackEligible, transport.ReasonCertName)
	assert.Empty(t, peer.Requests())
	require.Eventually(t, func() bool { return len(peer.Handshakes()) == 1 }, 5*time.Second, time.Millisecond)
	assert.Error(t, peer.Handshakes()[0].Err, "the node ends the handshake")
}

func TestT9IntermediateSent(t *testing.T) {
	t.Parallel()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	cert, err := ca.Issue(lpstest.WithIntermediate())
	require.NoError(t, err)
	lps := lpstest.StartHTTPS(t, lpstest.WithCA(ca), lpstest.WithCertificate(cert))
	lps.Serve(document)

	_, err = fetch(t, newTransport(t, lps, transport.StaticToken(testToken)))

	assert.NoError(t, err)
}

// A rack of nodes meets a service that is down: two requests each, the second after a pause.
//
// It is the one test here that does not run beside others: two hundred handshakes would eat up their budgets.
func TestG1Fleet(t *testing.T) {
	const nodes = 100
	lps := lpstest.StartHTTPS(t, lpstest.WithALPN("http/1.1")) // HTTP/2 servers lose patience with a slow machine
	lps.Respond(lpstest.HTTPSReply{Status: 503})
	var wg sync.WaitGroup
	release := make(chan struct{})
	for i := range nodes {
		tr := newTransport(t, lps, transport.StaticToken(fmt.Sprint("node-", i)))
		wg.Go(func() {
			<-release
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the machine may be slow, the rule is about requests
			defer cancel()
			_, err := tr.Fetch(ctx, request)
			assert.Equal(t, transport.FallbackEligible, transport.ClassOf(err), "%v", err)
		})
	}
	close(release)
	wg.Wait()

	perNode := map[string][]time.Time{}
	for _, r := range lps.Requests() {
		perNode[r.Token()] = append(perNode[r.Token()], r.Time)
	}
	assert.Len(t, perNode, nodes)
	for node, times := range perNode {
		require.Len(t, times, 2, node)
		assert.GreaterOrEqual(t, times[1].Sub(times[0]), front.MinPause)
	}
}
