package main

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// wire is a node's network: it dials as the default dialer does, and takes notes.
type wire struct {
	mu    sync.Mutex
	dials []time.Time
	conns []*meteredConn
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dials = append(w.dials, time.Now())
	w.mu.Unlock()
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	m := &meteredConn{Conn: conn, opened: time.Now()}
	w.mu.Lock()
	w.conns = append(w.conns, m)
	w.mu.Unlock()
	return m, nil
}

// span is how long something lasted, relative to the start of the run.
type span struct{ from, to time.Duration }

// report adds the notes to l. A connection that is still open counts as open until now.
func (w *wire) report(start time.Time, l *life) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.dials {
		l.dials = append(l.dials, t.Sub(start))
	}
	for _, c := range w.conns {
		end := time.Since(start)
		if closed := c.closed.Load(); closed != nil {
			end = closed.Sub(start)
		}
		l.conns = append(l.conns, span{c.opened.Sub(start), end})
		l.sent += c.sent.Load()
		l.received += c.received.Load()
	}
}

// meteredConn counts bytes and remembers when it was closed.
type meteredConn struct {
	net.Conn
	opened         time.Time
	closed         atomic.Pointer[time.Time]
	sent, received atomic.Int64
}

func (c *meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}

func (c *meteredConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

func (c *meteredConn) Close() error {
	now := time.Now()
	c.closed.CompareAndSwap(nil, &now)
	return c.Conn.Close()
}
