package lpstest

import (
	"crypto/tls"
	"io"
	"slices"
	"sync"
)

// badGateway is what a proxy says in HTTP/1.1 to a request that it cannot forward.
const badGateway = "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 24\r\n" +
	"Connection: close\r\n\r\n<h1>502 Bad Gateway</h1>"

// HTTP1 is a proxy that ends TLS and answers in HTTP/1.1, whatever ALPN said.
type HTTP1 struct {
	tlsPeer

	mu       sync.Mutex
	received [][]byte
}

// NewHTTP1 returns a peer that answers "502 Bad Gateway" to the first bytes a client sends.
func NewHTTP1(opts ...Option) (*HTTP1, error) {
	o, err := newOptions(opts, aboutTLS)
	if err != nil {
		return nil, err
	}
	peer, err := newTLSPeer(o)
	if err != nil {
		return nil, err
	}
	p := &HTTP1{tlsPeer: peer}
	p.serve(p.answer)
	return p, nil
}

// Received returns what each connection sent before it was answered, at most 4 KiB of it.
func (p *HTTP1) Received() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.received)
}

func (p *HTTP1) answer(conn *tls.Conn) {
	request := make([]byte, 4<<10)
	n, err := conn.Read(request)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.received = append(p.received, request[:n])
	p.mu.Unlock()
	if _, err := io.WriteString(conn, badGateway); err != nil {
		return
	}
	// Closing with bytes unread would reset the connection, and could take the answer from the client.
	_ = conn.CloseWrite()
	_, _ = io.Copy(io.Discard, conn)
}
