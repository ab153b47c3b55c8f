package lpstest_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
)

// handshake dials a server that has the certificate asked for, as a client of ca that expects name.
func handshake(t *testing.T, ca *lpstest.CA, name string, opts ...lpstest.CertOption) error {
	t.Helper()
	cert, err := ca.Issue(opts...)
	require.NoError(t, err)
	s := lpstest.Start(t, lpstest.WithCertificate(cert), lpstest.WithCA(ca))
	conn, err := tls.Dial("tcp", s.Addr(), &tls.Config{RootCAs: ca.Pool(), ServerName: name})
	if err == nil {
		_ = conn.Close()
	}
	return err
}

func TestIssuedCertificates(t *testing.T) {
	t.Parallel()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	hour := func(n int) time.Time { return time.Now().Add(time.Duration(n) * time.Hour) }

	for name, tt := range map[string]struct {
		name string
		opts []lpstest.CertOption
	}{
		"default":      {lpstest.ServerName, nil},
		"other names":  {"b.example", []lpstest.CertOption{lpstest.WithDNSNames("a.example", "b.example")}},
		"address":      {"127.0.0.1", []lpstest.CertOption{lpstest.WithIPs(net.IPv4(127, 0, 0, 1))}},
		"T9 sent":      {lpstest.ServerName, []lpstest.CertOption{lpstest.WithIntermediate()}},
		"no EKU":       {lpstest.ServerName, []lpstest.CertOption{lpstest.WithEKUs()}},
		"still valid":  {lpstest.ServerName, []lpstest.CertOption{lpstest.WithValidity(hour(-1), hour(1))}},
		"both EKUs":    {lpstest.ServerName, []lpstest.CertOption{lpstest.WithEKUs(x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth)}},
		"two families": {"::1", []lpstest.CertOption{lpstest.WithIPs(net.IPv4(127, 0, 0, 1), net.IPv6loopback)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.NoError(t, handshake(t, ca, tt.name, tt.opts...))
		})
	}

	for name, tt := range map[string]struct {
		opts []lpstest.CertOption
		want string
	}{
		"T9 not sent":      {[]lpstest.CertOption{lpstest.WithIntermediateWithheld()}, "unknown authority"},
		"T9 name only":     {[]lpstest.CertOption{lpstest.WithCommonNameOnly(lpstest.ServerName)}, "Common Name"},
		"T9 clientAuth":    {[]lpstest.CertOption{lpstest.WithEKUs(x509.ExtKeyUsageClientAuth)}, "incompatible key usage"},
		"T9 expired":       {[]lpstest.CertOption{lpstest.WithValidity(hour(-2), hour(-1))}, "expired"},
		"T9 not yet valid": {[]lpstest.CertOption{lpstest.WithValidity(hour(1), hour(2))}, "not yet valid"},
		"T8 another name":  {[]lpstest.CertOption{lpstest.WithDNSNames("api.example")}, "not " + lpstest.ServerName},
		"address only":     {[]lpstest.CertOption{lpstest.WithIPs(net.IPv4(127, 0, 0, 1))}, lpstest.ServerName},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.ErrorContains(t, handshake(t, ca, lpstest.ServerName, tt.opts...), tt.want)
		})
	}
}

func TestRotationHasOneSubjectAndTwoKeys(t *testing.T) {
	t.Parallel()
	before, err := lpstest.NewCA()
	require.NoError(t, err)
	after, err := lpstest.NewCA()
	require.NoError(t, err)
	assert.Equal(t, before.Certificate().RawSubject, after.Certificate().RawSubject)
	assert.NotEqual(t, before.Certificate().RawSubjectPublicKeyInfo, after.Certificate().RawSubjectPublicKeyInfo)

	cert, err := after.Issue()
	require.NoError(t, err)
	_, err = cert.Leaf.Verify(x509.VerifyOptions{Roots: before.Pool()})
	require.Error(t, err, "T9 right name, wrong CA")
	both := before.Pool()
	both.AddCert(after.Certificate())
	_, err = cert.Leaf.Verify(x509.VerifyOptions{Roots: both, DNSName: lpstest.ServerName})
	require.NoError(t, err)
}

func TestCAAsPEM(t *testing.T) {
	t.Parallel()
	ca, err := lpstest.NewCA(lpstest.WithSubject("cluster"))
	require.NoError(t, err)
	assert.Equal(t, "cluster", ca.Certificate().Subject.CommonName)
	block, rest := pem.Decode(ca.PEM())
	require.NotNil(t, block)
	assert.Empty(t, rest)
	assert.Equal(t, ca.Certificate().Raw, block.Bytes)
}

func TestCommonNameOnlyExcludesOtherNames(t *testing.T) {
	t.Parallel()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	_, err = ca.Issue(lpstest.WithCommonNameOnly("a"), lpstest.WithDNSNames("b"))
	assert.Error(t, err)
}
