package main

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// network is a node's network: it dials as the default dialer does, and takes notes.
type network struct {
	mu    sync.Mutex
	dials []time.Time
	conns []*meteredConn
}

func (n *network) dial(ctx context.Context, network, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dials = append(n.dials, time.Now())
	n.mu.Unlock()
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	m := &meteredConn{Conn: conn, opened: time.Now()}
	n.mu.Lock()
	n.conns = append(n.conns, m)
	n.mu.Unlock()
	return m, nil
}

// span is how long something lasted, relative to the start of the trial.
type span struct{ from, to time.Duration }

// addTo adds the notes to r. A connection that is still open counts as open until now.
func (n *network) addTo(r *nodeResult, start time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.dials {
		r.dials = append(r.dials, t.Sub(start))
	}
	for _, c := range n.conns {
		end := time.Since(start)
		if closed := c.closed.Load(); closed != nil {
			end = closed.Sub(start)
		}
		r.conns = append(r.conns, span{c.opened.Sub(start), end})
		r.sent += c.sent.Load()
		r.received += c.received.Load()
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
