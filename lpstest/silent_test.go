package lpstest_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/test/bufconn"

	"github.com/bootpointer/bootpointer/lpstest"
)

func TestHTTP1(t *testing.T) {
	t.Parallel()
	p := lpstest.StartHTTP1(t)
	transport := &http.Transport{TLSClientConfig: clientTLS(p.CA())}
	defer transport.CloseIdleConnections()
	reply, err := (&http.Client{Transport: transport, Timeout: patience}).Get("https://" + p.Addr() + "/x")
	require.NoError(t, err)
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	assert.Equal(t, 502, reply.StatusCode)
	assert.Equal(t, 1, reply.ProtoMajor)
	assert.Equal(t, "<h1>502 Bad Gateway</h1>", string(body))

	_, err = ask(t.Context(), dial(t, p.Addr(), p.CA()), component)
	assert.Error(t, err, "a gRPC client gets no further")
	require.GreaterOrEqual(t, len(p.Received()), 2)
	assert.Contains(t, string(p.Received()[0]), "GET /x HTTP/1.1\r\n")
	assert.True(t, strings.HasPrefix(string(p.Received()[1]), "PRI * HTTP/2.0"))
}

func TestSilent(t *testing.T) {
	t.Parallel()
	p := lpstest.StartSilent(t)
	conn, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(100*time.Millisecond)))
	err = tls.Client(conn, clientTLS(mustCA(t))).Handshake()
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
	assert.Equal(t, 1, p.Conns())

	require.NoError(t, p.Close())
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = conn.Read(make([]byte, 1))
	assert.Error(t, err)
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "Close ends connections")
}

func mustCA(t *testing.T) *lpstest.CA {
	t.Helper()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	return ca
}

func TestHangup(t *testing.T) {
	t.Parallel()
	p := lpstest.StartHangup(t)
	assert.Zero(t, p.Conns())
	for range 3 {
		conn, err := net.Dial("tcp", p.Addr())
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
		_, err = conn.Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.EOF)
		_ = conn.Close()
	}
	assert.Equal(t, 3, p.Conns())
}

func timedOut(err error) bool {
	failed, ok := errors.AsType[net.Error](err)
	return ok && failed.Timeout()
}

func TestRefusing(t *testing.T) {
	t.Parallel()
	p := lpstest.StartRefusing(t)
	for range 3 {
		_, err := net.DialTimeout("tcp", p.Addr(), patience)
		require.Error(t, err)
		assert.False(t, timedOut(err), "refused, not silent: %v", err)
	}
	_, err := net.Listen("tcp", p.Addr())
	assert.Error(t, err, "nobody else is given the port")
}

func TestSwallowing(t *testing.T) {
	t.Parallel()
	p := lpstest.StartSwallowing(t)
	for range 2 {
		_, err := net.DialTimeout("tcp", p.Addr(), 100*time.Millisecond)
		assert.True(t, timedOut(err), "%v", err)
	}
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
}

// A port that a service had before, with a connection of its own, can be made to swallow, and be the service's again.
func TestSwallowingAtAnAddress(t *testing.T) {
	t.Parallel()
	before := lpstest.StartHangup(t)
	conn, err := net.Dial("tcp", before.Addr())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, before.Close())

	p, err := lpstest.NewSwallowing(lpstest.WithAddress(before.Addr()))
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	defer p.Close()
	assert.Equal(t, before.Addr(), p.Addr())
	_, err = net.DialTimeout("tcp", p.Addr(), 100*time.Millisecond)
	assert.True(t, timedOut(err), "%v", err)

	require.NoError(t, p.Close())
	after, err := lpstest.NewHangup(lpstest.WithAddress(p.Addr()))
	require.NoError(t, err)
	require.NoError(t, after.Close())

	for _, refused := range []lpstest.Option{lpstest.WithAddress("[::1]:0"), lpstest.WithAddress("nowhere"),
		lpstest.WithALPN("h2"), lpstest.WithListener(bufconn.Listen(1))} {
		if p, err := lpstest.NewSwallowing(refused); err == nil {
			_ = p.Close()
			t.Errorf("%s", p.Addr())
		}
	}
}

func TestPeersWithoutTLSRefuseItsOptions(t *testing.T) {
	t.Parallel()
	_, err := lpstest.NewSilent(lpstest.WithALPN("h2"))
	assert.ErrorContains(t, err, "WithALPN")
	_, err = lpstest.NewHangup(lpstest.WithToken("x"))
	assert.ErrorContains(t, err, "WithToken")
	_, err = lpstest.NewHTTP1(lpstest.WithoutSettings())
	assert.ErrorContains(t, err, "WithoutSettings")
	_, err = lpstest.NewRelay("", 0, lpstest.WithCA(nil))
	assert.ErrorContains(t, err, "WithCA")
}
