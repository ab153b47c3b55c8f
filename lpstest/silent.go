package lpstest

import (
	"io"
	"net"
)

// TCPPeer is a peer that never gets as far as TLS. Its constructors take [WithAddress] and [WithListener] only.
type TCPPeer struct {
	tcpPeer
}

// NewSilent returns a peer that accepts connections and says nothing. It reads on, and so never fills up.
func NewSilent(opts ...Option) (*TCPPeer, error) {
	return newTCPPeer(opts, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
}

// NewHangup returns a peer that accepts connections and closes them at once. It is also a trap for proxies: put its
// address into HTTPS_PROXY, and Conns says whether anyone came.
func NewHangup(opts ...Option) (*TCPPeer, error) {
	return newTCPPeer(opts, func(net.Conn) {})
}

func newTCPPeer(opts []Option, handle func(net.Conn)) (*TCPPeer, error) {
	o, err := newOptions(opts, 0)
	if err != nil {
		return nil, err
	}
	port, err := o.listen()
	if err != nil {
		return nil, err
	}
	port.serve(handle)
	return &TCPPeer{tcpPeer{port}}, nil
}
