package dial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// A name server that is silent leaves no goroutine behind; goleak in TestMain would find it.
func TestT6LookupEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dns := lpstest.StartDNS(t, lpstest.DNSAnswer{Silent: true})
	d := NewDialer()
	own := d.Resolver.Dial
	d.Resolver.PreferGo = true
	d.Resolver.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) { return own(ctx, network, dns.Addr()) }
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()

	_, err := d.DialContext(ctx, "tcp", "front.example.:443")

	_, ok := errors.AsType[*net.DNSError](err)
	assert.True(t, ok, "%v", err)
	assert.NotEmpty(t, dns.Queries())
}

func config(t *testing.T, lps *lpstest.Server) Config {
	t.Helper()
	return Config{Address: lps.Addr(), SNI: "front.example", Dial: NewDialer().DialContext, MinVersion: tls.VersionTLS12,
		Verify: Verification{CAs: []*x509.Certificate{lps.CA().Certificate()}, Name: lpstest.ServerName, ALPN: []string{"h2"}}}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)

	conn, err := TLS(t.Context(), config(t, lps))

	require.NoError(t, err)
	assert.Equal(t, "h2", conn.ConnectionState().NegotiatedProtocol)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return len(lps.Handshakes()) == 1 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, "front.example", lps.Handshakes()[0].SNI)
}

func TestTLSVersions(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t, lpstest.WithTLSVersions(tls.VersionTLS12, tls.VersionTLS12))
	cfg := config(t, lps)

	conn, err := TLS(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, conn.Close())

	cfg.MinVersion = tls.VersionTLS13
	_, err = TLS(t.Context(), cfg)
	e, ok := errors.AsType[*transport.Error](err)
	require.True(t, ok)
	assert.Equal(t, transport.ReasonTLS, e.Reason)
}

// Whether a peer may select no protocol is the caller's choice.
func TestTLSWithoutALPN(t *testing.T) {
	t.Parallel()
	cfg := config(t, lpstest.Start(t, lpstest.WithALPN()))
	for optional, reason := range map[bool]transport.Reason{true: "", false: transport.ReasonALPN} {
		cfg.Verify.ALPNOptional = optional

		conn, err := TLS(t.Context(), cfg)

		if reason == "" {
			require.NoError(t, err)
			require.NoError(t, conn.Close())
			continue
		}
		e, ok := errors.AsType[*transport.Error](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, reason, e.Reason)
	}
}

// The system's roots are never trusted instead of the cluster's.
func TestC3NoCANoDial(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	cfg := config(t, lps)
	cfg.Verify.CAs = nil

	_, err := TLS(t.Context(), cfg)

	e, ok := errors.AsType[*transport.Error](err)
	require.True(t, ok)
	assert.Equal(t, transport.ReasonConfig, e.Reason)
	assert.Zero(t, lps.Conns())
}

func TestTLSCancelled(t *testing.T) {
	t.Parallel()
	silent := lpstest.StartSilent(t)
	cfg := config(t, lpstest.Start(t))
	cfg.Address = silent.Addr()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)

	_, err := TLS(ctx, cfg)

	assert.Equal(t, transport.Authoritative, transport.ClassOf(err))
	assert.ErrorIs(t, err, context.Canceled)
}

// Whoever gives up while the connection is made is not told that the peer is at fault.
func TestTLSCancelledWhileDialling(t *testing.T) {
	t.Parallel()
	cfg := config(t, lpstest.Start(t))
	ctx, cancel := context.WithCancel(t.Context())
	cfg.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		cancel()
		return nil, &net.OpError{Op: "dial", Err: ctx.Err()}
	}

	_, err := TLS(ctx, cfg)

	assert.Equal(t, transport.Authoritative, transport.ClassOf(err))
	e, ok := errors.AsType[*transport.Error](err)
	require.True(t, ok)
	assert.Equal(t, transport.ReasonCanceled, e.Reason)
}

// A connection whose peer proved nothing is closed.
func TestTLSClosesWhatItDoesNotReturn(t *testing.T) {
	t.Parallel()
	cfg := config(t, lpstest.Start(t))
	cfg.Verify.Name = "another.example"
	var conn *closes
	dial := cfg.Dial
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := dial(ctx, network, address)
		conn = &closes{Conn: raw}
		return conn, err
	}

	_, err := TLS(t.Context(), cfg)

	require.Error(t, err)
	assert.Positive(t, conn.times)
}

type closes struct {
	net.Conn
	times int
}

func (c *closes) Close() error {
	c.times++
	return c.Conn.Close()
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	wrap := func(reason transport.Reason, err error) error {
		return fmt.Errorf("x: %w", &transport.Error{Class: transport.FallbackEligible, Reason: reason, Err: err})
	}
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"refused":           {wrap(transport.ReasonConnect, &net.OpError{Err: syscall.ECONNREFUSED}), true},
		"reset":             {wrap(transport.ReasonConnect, syscall.ECONNRESET), true},
		"closed":            {wrap(transport.ReasonConnect, io.EOF), true},
		"no route to host":  {wrap(transport.ReasonConnect, syscall.EHOSTUNREACH), true},
		"time-out":          {wrap(transport.ReasonConnect, context.DeadlineExceeded), false},
		"handshake failure": {wrap(transport.ReasonTLS, errors.New("tls: handshake failure")), false},
		"name":              {wrap(transport.ReasonDNS, &net.DNSError{IsNotFound: true}), false},
		"certificate":       {wrap(transport.ReasonCertName, io.EOF), false},
		"unclassified":      {io.EOF, false},
		"nil":               {nil, false},
	} {
		assert.Equal(t, tc.want, Retryable(tc.err), name)
	}
}

func TestNoRoute(t *testing.T) {
	t.Parallel()
	unreachable := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
	assert.True(t, NoRoute(unreachable))
	assert.True(t, NoRoute(&net.DNSError{Err: unreachable.Error()}))
	assert.False(t, NoRoute(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}))
	assert.False(t, NoRoute(nil))
}

func TestNamesAreCut(t *testing.T) {
	t.Parallel()
	cert := &x509.Certificate{DNSNames: []string{"a", "b\n", "c", "d", "e", "f"}, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)}}
	assert.Equal(t, `"a", "b\n", "c", "d", "e" and 2 more`, names(cert))
	cert.Subject.CommonName = "old"
	cert.DNSNames, cert.IPAddresses = nil, nil
	assert.Equal(t, `no name (common name "old" does not count)`, names(cert))
}
