package lpstest

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
)

// port is a listener that counts what it accepts and can close all of it. Every TCP peer stands on one.
type port struct {
	mu       sync.Mutex
	ln       net.Listener
	accepted int
	open     map[*portConn]struct{}
	closed   bool
	loops    sync.WaitGroup
}

func newPort(ln net.Listener) *port {
	return &port{ln: ln, open: make(map[*portConn]struct{})}
}

// Accept, Close and Addr make a port a [net.Listener].
func (p *port) Accept() (net.Conn, error) {
	conn, err := p.listener().Accept()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	p.accepted++
	c := &portConn{Conn: conn, port: p}
	p.open[c] = struct{}{}
	return c, nil
}

func (p *port) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	return p.ln.Close()
}

func (p *port) Addr() net.Addr { return p.listener().Addr() }

func (p *port) listener() net.Listener {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ln
}

func (p *port) conns() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// serve accepts until the port is closed, and closes each connection when handle returns.
func (p *port) serve(handle func(net.Conn)) {
	p.loops.Go(func() {
		for {
			conn, err := p.Accept()
			if err != nil {
				return
			}
			p.loops.Go(func() {
				defer conn.Close()
				handle(conn)
			})
		}
	})
}

// shut closes the port and every connection, and waits for what serve started.
func (p *port) shut() {
	_ = p.Close()
	p.mu.Lock()
	open := make([]*portConn, 0, len(p.open))
	for c := range p.open {
		open = append(open, c)
	}
	p.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
	p.loops.Wait()
}

// reopen listens on the same address again after shut. For a second it puts up with the address being in use: a process
// that is just being forked has copies of closed listeners until it runs its program.
func (p *port) reopen() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	addr, ok := p.ln.Addr().(*net.TCPAddr)
	if !ok {
		return fmt.Errorf("lpstest: cannot listen again on %s", p.ln.Addr())
	}
	ln, err := net.Listen("tcp", addr.String())
	for end := time.Now().Add(time.Second); errors.Is(err, syscall.EADDRINUSE) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		ln, err = net.Listen("tcp", addr.String())
	}
	if err != nil {
		return fmt.Errorf("lpstest: %w", err)
	}
	p.ln, p.closed = ln, false
	return nil
}

// portConn leaves the port's list when it is closed.
type portConn struct {
	net.Conn
	port *port
}

func (c *portConn) Close() error {
	c.port.mu.Lock()
	delete(c.port.open, c)
	c.port.mu.Unlock()
	return c.Conn.Close()
}

// reset closes the connection so that the other side sees a TCP RST, where there is TCP.
func (c *portConn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// CloseWrite ends the sending half, where there are halves.
func (c *portConn) CloseWrite() error {
	if half, ok := c.Conn.(*net.TCPConn); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
