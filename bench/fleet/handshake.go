package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"time"

	"github.com/bootpointer/bootpointer/lpstest"
)

// handshakesMeasured is how many handshakes the cost of one is a mean of.
const handshakesMeasured = 400

// handshakeCost returns the CPU time that one connection costs the service: TCP, a full TLS 1.3 handshake with an ECDSA P-256
// certificate, HTTP/2's preface and the end of it all, without any call.
func handshakeCost(ctx context.Context, count int) (time.Duration, error) {
	healthy, _ := modeNamed("healthy")
	service, err := startProcess(ctx, healthy, 1)
	if err != nil {
		return 0, err
	}
	defer service.close()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(service.CA) {
		return 0, errors.New("the service has no CA")
	}
	if _, err := service.start(); err != nil {
		return 0, err
	}
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, ServerName: lpstest.ServerName, NextProtos: []string{lpstest.ALPN, "h2"}}}
	for range count {
		conn, err := dialer.DialContext(ctx, "tcp", service.Address)
		if err != nil {
			return 0, err
		}
		_ = conn.Close()
	}
	seen, err := service.end()
	if err != nil {
		return 0, err
	}
	return seen.CPU / time.Duration(count), nil
}
