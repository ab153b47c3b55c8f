//go:build e2e

package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// cluster is what lies behind a front, and the metadata service whose token the service wants to see.
type cluster struct {
	ca        *lpstest.CA
	imds      *imdstest.Server
	service   *lpstest.Server
	apiServer *lpstest.RawHTTP2
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	imds := imdstest.Start(t)
	c := &cluster{
		ca:   ca,
		imds: imds,
		service: lpstest.Start(t, lpstest.WithCA(ca), lpstest.WithToken(imds.Signature()),
			lpstest.WithAddress(freeAddress(t))), // it is stopped and started
		apiServer: lpstest.StartImpostor(t, fqdn, lpstest.WithCA(ca)),
	}
	c.service.Serve(component, published)
	return c
}

// node returns a node of this cluster.
func (c *cluster) node(t *testing.T, target string) *node {
	t.Helper()
	return newNode(t, c.ca, c.imds, target)
}

// instead stops the service and starts another peer in its place.
func instead[P io.Closer](
	t *testing.T, c *cluster, newPeer func(...lpstest.Option) (P, error), opts ...lpstest.Option,
) (peer P) {
	t.Helper()
	c.service.Stop()
	listenAgain(t, func() (err error) {
		peer, err = newPeer(append(opts, lpstest.WithAddress(c.service.Addr()))...)
		return err
	})
	t.Cleanup(func() { _ = peer.Close() })
	return peer
}

// listenAgain tries until the address is free. A process that another test is starting holds copies of the listeners
// that were open when it was forked, until it executes its program.
func listenAgain(t *testing.T, listen func() error) {
	t.Helper()
	err := listen()
	for giveUp := time.Now().Add(startTime); errors.Is(err, unix.EADDRINUSE) && time.Now().Before(giveUp); err = listen() {
		time.Sleep(5 * time.Millisecond)
	}
	require.NoError(t, err)
}

// assertCalled says that this many calls reached the service, and that each was as it has to be.
func (c *cluster) assertCalled(t *testing.T, times int) {
	t.Helper()
	calls := c.service.Calls()
	assert.Len(t, calls, times)
	for _, call := range calls {
		assert.Equal(t, component, call.Component)
		assert.Equal(t, fqdn, call.SNI)
		assert.Equal(t, fqdn, call.Authority)
		assert.Equal(t, lpstest.ALPN, call.ALPN)
		assert.True(t, c.imds.Signature() == call.Token(), "the call has the token")
	}
}

// assertAPIServerAlone says that no node connected to the API server.
func (c *cluster) assertAPIServerAlone(t *testing.T) {
	t.Helper()
	assert.Zero(t, c.apiServer.Conns())
	assert.Empty(t, c.apiServer.Requests())
}

// assertAPIServerRefused says that nodes connected to the API server and that no handshake with it was completed:
// nothing can have come after it, neither HEADERS nor a token.
func (c *cluster) assertAPIServerRefused(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return len(c.apiServer.Handshakes()) == c.apiServer.Conns() },
		5*time.Second, time.Millisecond)
	assert.NotZero(t, c.apiServer.Conns())
	for _, h := range c.apiServer.Handshakes() {
		assert.Equal(t, fqdn, h.SNI)
		assert.Equal(t, []string{lpstest.ALPN, "h2"}, h.Offered)
		assert.ErrorContains(t, h.Err, "bad certificate")
	}
	assert.Empty(t, c.apiServer.Requests())
}

// writeCertificate issues a certificate for the pinned name and writes it to files, for peers that read them.
func writeCertificate(t *testing.T, ca *lpstest.CA) (cert, key string) {
	t.Helper()
	issued, err := ca.Issue()
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(issued.PrivateKey)
	require.NoError(t, err)
	return writeFile(t, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issued.Certificate[0]})),
		writeFile(t, "key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// whoAnswers connects to addr as some client that offers these protocols, and returns the names of who answers.
func whoAnswers(t *testing.T, addr string, alpn []string) []string {
	t.Helper()
	conn, err := tls.Dial("tcp", addr, &tls.Config{
		ServerName:         fqdn,
		NextProtos:         alpn,
		InsecureSkipVerify: true, // the question is who it is
	})
	require.NoError(t, err)
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].DNSNames
}
