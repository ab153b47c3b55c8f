package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"
)

// serverName is the name that the service's certificate is for. It is not the SNI.
const serverName = "aks-security-patch.data.mcr.microsoft.com"

// alpn has what the front routes on, then what is spoken.
var alpn = []string{"aks-live-patching", "h2"}

// connect returns a connection whose peer has proven that it is the service.
func connect(n node, target string, deadline time.Time) (*tls.Conn, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(n.CA) {
		return nil, errors.New("no CA in the node config can be used")
	}
	raw, err := net.DialTimeout("tcp", target, time.Until(deadline))
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, &tls.Config{
		ServerName:         n.host(),
		NextProtos:         alpn,
		InsecureSkipVerify: true, // it would compare the certificate with the SNI; VerifyConnection does all of it
		VerifyConnection:   func(cs tls.ConnectionState) error { return verify(cs, roots) },
	})
	err = conn.SetDeadline(deadline)
	if err == nil {
		err = conn.Handshake()
	}
	if err != nil {
		raw.Close()
		return nil, err
	}
	return conn, nil
}

func verify(cs tls.ConnectionState, roots *x509.CertPool) error {
	intermediates := x509.NewCertPool()
	for _, cert := range cs.PeerCertificates[1:] {
		intermediates.AddCert(cert)
	}
	_, err := cs.PeerCertificates[0].Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: intermediates, DNSName: serverName,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err == nil && !slices.Contains(alpn, cs.NegotiatedProtocol) {
		err = fmt.Errorf("peer selected protocol %q", cs.NegotiatedProtocol)
	}
	return err
}
