package lpstest

import (
	"fmt"
	"net"
)

// Refusing is a port on loopback that refuses connections, and goes on doing so: nobody else can be given it.
type Refusing struct {
	ln  net.Listener
	out net.Conn
}

// NewRefusing returns such a port. It holds the port as the near end of a connection, where nobody listens: a port
// that was merely free could belong to another test a moment later.
func NewRefusing() (*Refusing, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("lpstest: %w", err)
	}
	out, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		_ = ln.Close()
		return nil, fmt.Errorf("lpstest: %w", err)
	}
	return &Refusing{ln: ln, out: out}, nil
}

// Addr returns the address that refuses, host and port.
func (r *Refusing) Addr() string { return r.out.LocalAddr().String() }

// Close gives the port back. The error is always nil.
func (r *Refusing) Close() error {
	_ = r.out.Close()
	_ = r.ln.Close()
	return nil
}
