package lpstest

import (
	"crypto/tls"
	"net"
)

// tcpPeer is what every peer on a TCP port has.
type tcpPeer struct {
	port *port
}

// Addr returns the address to dial, host and port.
func (p *tcpPeer) Addr() string { return p.port.Addr().String() }

// Conns returns how many connections were accepted so far.
func (p *tcpPeer) Conns() int { return p.port.conns() }

// Close stops the peer for good. The error is always nil.
func (p *tcpPeer) Close() error {
	p.port.shut()
	return nil
}

// tlsPeer is what every peer that ends TLS has.
type tlsPeer struct {
	tcpPeer
	tls *terminator
}

func newTLSPeer(o options) (tlsPeer, error) {
	terminator, err := newTerminator(o)
	if err != nil {
		return tlsPeer{}, err
	}
	port, err := o.listen()
	if err != nil {
		return tlsPeer{}, err
	}
	return tlsPeer{tcpPeer{port}, terminator}, nil
}

// serve has each connection handled after its handshake, and closed when handle returns.
func (p *tlsPeer) serve(handle func(*tls.Conn)) {
	p.port.serve(func(raw net.Conn) {
		conn, err := p.tls.handshake(raw)
		if err != nil {
			return
		}
		handle(conn)
		_ = conn.Close() // with a TLS alert, which closing raw would not send
	})
}

// CA returns the CA to trust. It is nil if a certificate was given without one.
func (p *tlsPeer) CA() *CA { return p.tls.ca }

// Handshakes returns the TLS handshakes so far, in the order in which they ended.
func (p *tlsPeer) Handshakes() []Handshake { return p.tls.record() }
