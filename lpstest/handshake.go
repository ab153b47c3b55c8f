package lpstest

import (
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// Handshake is one TLS handshake, complete or failed.
type Handshake struct {
	// Time is when it began, and Remote the client's address.
	Time   time.Time
	Remote string
	// SNI and Offered (ALPN protocols, in order) are what the client hello said. Both are empty if none came.
	SNI     string
	Offered []string
	// Selected is the ALPN protocol selected, Version the TLS version, such as [tls.VersionTLS13]. Resumed says
	// that the session was resumed. All are zero if the handshake failed.
	Selected string
	Version  uint16
	Resumed  bool
	// Err is why the handshake failed on this side. A client that refuses the certificate shows as its alert.
	Err error
}

// terminator ends TLS for a peer and records the handshakes.
type terminator struct {
	ca     *CA // nil if the certificate was given without one
	config *tls.Config

	mu         sync.Mutex
	handshakes []Handshake
}

func newTerminator(o options) (*terminator, error) {
	if o.ca == nil && o.certificate == nil {
		ca, err := NewCA()
		if err != nil {
			return nil, fmt.Errorf("lpstest: %w", err)
		}
		o.ca = ca
	}
	if o.certificate == nil {
		cert, err := o.ca.Issue()
		if err != nil {
			return nil, fmt.Errorf("lpstest: %w", err)
		}
		o.certificate = &cert
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{*o.certificate},
		NextProtos:   o.alpn,
		MinVersion:   o.minVersion,
		MaxVersion:   o.maxVersion,
	}
	// Every handshake runs on a clone; without a common key no session could be resumed.
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	config.SetSessionTicketKeys([][32]byte{key})
	return &terminator{ca: o.ca, config: config}, nil
}

// handshake does the server's side on raw and records it. It does not close raw.
func (t *terminator) handshake(raw net.Conn) (*tls.Conn, error) {
	h := Handshake{Time: time.Now(), Remote: raw.RemoteAddr().String()}
	config := t.config.Clone()
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		h.SNI, h.Offered = hello.ServerName, slices.Clone(hello.SupportedProtos)
		return nil, nil
	}
	conn := tls.Server(raw, config)
	h.Err = conn.Handshake()
	if h.Err == nil {
		state := conn.ConnectionState()
		h.Selected, h.Version, h.Resumed = state.NegotiatedProtocol, state.Version, state.DidResume
	}
	t.mu.Lock()
	t.handshakes = append(t.handshakes, h)
	t.mu.Unlock()
	return conn, h.Err
}

func (t *terminator) record() []Handshake {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.handshakes)
}
