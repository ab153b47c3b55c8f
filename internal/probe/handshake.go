package probe

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer/internal/dial"
	"github.com/bootpointer/bootpointer/transport"
)

// handshake is one connection to the front, as a transport opens it.
type handshake struct {
	dial.Config
	host      string
	connected time.Time            // when TCP was there
	seen      *tls.ConnectionState // what the peer presented, nil if it did not come to that
	err       error
}

// shakeHands opens the connection of one transport, and closes it. The token is not on it.
func (p *run) shakeHands(ctx context.Context, t Transport, tcp Status) (secure, alpn Layer) {
	secure = p.begin(LayerTLS, t.Name)
	switch {
	case tcp != OK && tcp != Warning:
		secure.skip("no TCP connection")
	case p.config.Host == "":
		secure.skip("no API server name")
	case len(p.config.CAs) == 0:
		secure.skip("no CA: nobody could be trusted, so nothing is dialled")
	}
	if secure.Status == Skipped {
		p.end(ctx, &secure)
		alpn = p.begin(LayerALPN, t.Name)
		alpn.skip("no TLS handshake")
		p.end(ctx, &alpn)
		return secure, alpn
	}
	h := p.handshake(ctx, t)
	secure.Tried = fmt.Sprintf("handshake with %s, SNI %s, certificate for %s", h.Address, h.SNI, h.Verify.Name)
	h.judgeTLS(&secure)
	p.end(ctx, &secure)
	alpn = Layer{Name: LayerALPN, Transport: t.Name, Start: secure.Start, Duration: secure.Duration} // the same handshake
	alpn.Tried = "offer " + strings.Join(h.Verify.ALPN, ", ")
	alpn.detail("offered", h.Verify.ALPN)
	if h.judgeALPN(&alpn); secure.Result == interrupted {
		alpn.skip(interrupted)
	}
	return secure, alpn
}

func (p *run) handshake(ctx context.Context, t Transport) *handshake {
	ctx, cancel := p.setUpTime(ctx)
	defer cancel()
	h := &handshake{host: p.config.Host, Config: p.Front.Dial(p.endpoint, t.Hello(p.config.Host))}
	open := h.Dial
	h.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := open(ctx, network, address)
		h.connected = time.Now()
		return conn, err
	}
	h.Observe = func(cs tls.ConnectionState) { h.seen = &cs }
	conn, err := dial.TLS(ctx, h.Config)
	if h.err = err; err == nil {
		conn.Close()
	}
	return h
}

// reason is that of the check.
func (h *handshake) reason() transport.Reason {
	if e, ok := errors.AsType[*transport.Error](h.err); ok {
		return e.Reason
	}
	return ""
}

func (h *handshake) judgeTLS(l *Layer) {
	l.detail("sni", h.SNI)
	l.detail("expected_name", h.Verify.Name)
	if !h.connected.IsZero() {
		l.detail("handshake_ms", int(time.Since(h.connected).Milliseconds()))
	}
	if h.seen != nil {
		describe(l, *h.seen)
	}
	switch {
	case h.err == nil:
		l.ok(fmt.Sprintf("%s, verified for %s", tls.VersionName(h.seen.Version), h.Verify.Name))
	case h.reason() == transport.ReasonALPN && h.seen != nil:
		l.ok(fmt.Sprintf("%s, certificate good for %s", tls.VersionName(h.seen.Version), h.Verify.Name))
	case h.reason() == transport.ReasonALPN:
		l.skip("ended by the peer over ALPN, before it showed a certificate")
	default:
		l.fail(string(h.reason()), h.hint(), h.err.Error())
	}
}

// describe tells what the peer presented.
func describe(l *Layer, cs tls.ConnectionState) {
	l.detail("version", tls.VersionName(cs.Version))
	if len(cs.PeerCertificates) == 0 {
		return
	}
	leaf := cs.PeerCertificates[0]
	names := append([]string{}, leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	l.detail("names", names[:min(len(names), maxListed)])
	l.detail("subject", leaf.Subject.String())
	l.detail("issuer", leaf.Issuer.String())
	l.detail("valid", validity(leaf))
	chain := []string{}
	for _, c := range cs.PeerCertificates[:min(len(cs.PeerCertificates), maxListed)] {
		chain = append(chain, c.Subject.String())
	}
	l.detail("chain", chain)
}

// hint tells apart what the reason does not.
func (h *handshake) hint() string {
	if h.seen == nil || len(h.seen.PeerCertificates) == 0 {
		return ""
	}
	leaf := h.seen.PeerCertificates[0]
	invalid, ok := errors.AsType[x509.CertificateInvalidError](h.err)
	switch reason := h.reason(); {
	case reason == transport.ReasonCertName && len(leaf.DNSNames)+len(leaf.IPAddresses) == 0:
		return "no-names"
	case reason == transport.ReasonCertName && leaf.VerifyHostname(h.host) == nil:
		return "api-server"
	case reason == transport.ReasonCertUntrusted && ok && invalid.Reason == x509.IncompatibleUsage:
		return "usage"
	case reason == transport.ReasonCertUntrusted && h.knowsSubject(leaf.RawIssuer):
		return "rotated"
	}
	return ""
}

// knowsSubject reports whether one of the CAs has that name.
func (h *handshake) knowsSubject(issuer []byte) bool {
	for _, ca := range h.Verify.CAs {
		if bytes.Equal(ca.RawSubject, issuer) {
			return true
		}
	}
	return false
}

func (h *handshake) judgeALPN(l *Layer) {
	refused := h.reason() == transport.ReasonALPN
	switch {
	case h.seen == nil && refused:
		l.fail(string(transport.ReasonALPN), "refused", h.err.Error())
		return
	case h.seen == nil:
		l.skip("no TLS handshake")
		return
	}
	selected := h.seen.NegotiatedProtocol
	l.detail("selected", selected)
	switch {
	case refused:
		l.fail(string(transport.ReasonALPN), "", h.err.Error())
	case selected == "":
		l.ok("selected none, which is taken for HTTP/1.1")
	default:
		l.ok("selected " + selected)
	}
}

// handshakeOf returns the layers of transport i among those of [run.connect].
func handshakeOf(network []Layer, i int) (secure, alpn Layer) { return network[2+2*i], network[3+2*i] }
