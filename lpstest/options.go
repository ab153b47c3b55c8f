package lpstest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
)

// ALPN is the protocol that the proxy in front of the service routes on. It stands before "h2" in what clients
// offer and in what a [Server] prefers.
const ALPN = "aks-live-patching"

// Option changes where a peer listens and how it does TLS. A constructor refuses an option that means nothing
// to its peer.
type Option func(*options)

type options struct {
	address     string
	listener    net.Listener
	ca          *CA
	certificate *tls.Certificate
	alpn        []string
	minVersion  uint16
	maxVersion  uint16
	token       *string
	noSettings  bool
	given       []given
}

// subject says which peers an option means something to.
type subject uint8

const (
	aboutTLS subject = 1 << iota
	aboutToken
	aboutSettings
)

type given struct {
	subject subject
	name    string
}

func (o *options) note(s subject, name string) { o.given = append(o.given, given{s, name}) }

// WithAddress sets the address to listen on, as for [net.Listen]. The default is "127.0.0.1:0".
func WithAddress(address string) Option {
	return func(o *options) { o.address = address }
}

// WithListener has the peer accept from ln, which the peer closes. TLS goes on top, so that ln may be one of
// bufconn. It excludes [WithAddress].
func WithListener(ln net.Listener) Option {
	return func(o *options) { o.listener = ln }
}

// WithCA sets the CA that issues the peer's certificate. The default is a CA of its own.
func WithCA(ca *CA) Option {
	return func(o *options) { o.ca = ca; o.note(aboutTLS, "WithCA") }
}

// WithCertificate sets the certificate to serve. The default is one for [ServerName] by the peer's CA; with this
// option the peer has no CA but that of [WithCA].
func WithCertificate(cert tls.Certificate) Option {
	return func(o *options) { o.certificate = &cert; o.note(aboutTLS, "WithCertificate") }
}

// WithALPN sets the protocols to select from, the preferred one first; none at all turns ALPN off. The default is
// [ALPN], then "h2", and for an [HTTPS] "h2", then "http/1.1". A client that offers only others fails its handshake.
func WithALPN(protos ...string) Option {
	return func(o *options) { o.alpn = slices.Clone(protos); o.note(aboutTLS, "WithALPN") }
}

// WithTLSVersions sets the lowest and the highest TLS version, such as [tls.VersionTLS12]. The default is that of
// crypto/tls, 1.2 to 1.3.
func WithTLSVersions(lowest, highest uint16) Option {
	return func(o *options) {
		o.minVersion, o.maxVersion = lowest, highest
		o.note(aboutTLS, "WithTLSVersions")
	}
}

// WithToken has a [Server] answer Unauthenticated, and an [HTTPS] 401, to everyone whose authorization is not token, byte
// for byte.
// The default is to look at no token. Other peers refuse this option.
func WithToken(token string) Option {
	return func(o *options) { o.token = &token; o.note(aboutToken, "WithToken") }
}

// WithoutSettings has a [RawHTTP2] stay silent after the TLS handshake: it reads, and sends nothing at all. Other
// peers refuse this option.
func WithoutSettings() Option {
	return func(o *options) { o.noSettings = true; o.note(aboutSettings, "WithoutSettings") }
}

// newOptions refuses options about anything but the address and the allowed subjects: none is ignored in silence.
func newOptions(opts []Option, allowed subject) (options, error) {
	o := options{alpn: []string{ALPN, "h2"}}
	for _, opt := range opts {
		opt(&o)
	}
	for _, g := range o.given {
		if g.subject&allowed == 0 {
			return options{}, fmt.Errorf("lpstest: %s means nothing to this peer", g.name)
		}
	}
	if o.listener != nil && o.address != "" {
		return options{}, errors.New("lpstest: WithListener and WithAddress exclude each other")
	}
	return o, nil
}

// listen returns the port that the options ask for.
func (o *options) listen() (*port, error) {
	if o.listener != nil {
		return newPort(o.listener), nil
	}
	address := o.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("lpstest: %w", err)
	}
	return newPort(ln), nil
}
