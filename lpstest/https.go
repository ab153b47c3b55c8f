package lpstest

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// HTTPSPath is the only path that an [HTTPS] knows.
const HTTPSPath = "/v1/anc-hotfix"

// HTTPS is a fake live-patching service that is asked over HTTPS, in HTTP/2 or HTTP/1.1.
type HTTPS struct {
	tlsPeer
	token *string

	mu       sync.Mutex
	closed   bool
	running  sync.WaitGroup
	document *string
	script   []HTTPSReply
	requests []HTTPSRequest
}

// NewHTTPS returns a service that is up. It answers 404 until [HTTPS.Serve] or [HTTPS.Respond] says otherwise, and
// always to another path than [HTTPSPath]; another method than GET is a 405. It prefers "h2" to "http/1.1", unless
// [WithALPN] says otherwise.
func NewHTTPS(opts ...Option) (*HTTPS, error) {
	o, err := newOptions(append([]Option{WithALPN("h2", "http/1.1")}, opts...), aboutTLS|aboutToken)
	if err != nil {
		return nil, err
	}
	peer, err := newTLSPeer(o)
	if err != nil {
		return nil, err
	}
	s := &HTTPS{tlsPeer: peer, token: o.token}
	s.serve(s.converse)
	return s, nil
}

// Serve has the service answer 200 with document.
func (s *HTTPS) Serve(document string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.document = &document
}

// Respond replaces what [HTTPS.Serve] set by a script: each request takes the next reply, and the last one stays. It
// starts the script anew; without replies it ends it.
func (s *HTTPS) Respond(replies ...HTTPSReply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = slices.Clone(replies)
}

// Requests returns the requests so far, in the order in which they came, the refused ones included.
func (s *HTTPS) Requests() []HTTPSRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Close stops the service for good, and waits for what it is answering. The error is always nil.
func (s *HTTPS) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.port.shut()
	s.running.Wait()
	return nil
}

// converse serves one connection until it is closed.
func (s *HTTPS) converse(conn *tls.Conn) {
	only := newOnlyConn(conn)
	server := &http.Server{
		Handler:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handle(w, r, conn) }),
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				_ = only.Close()
			}
		},
	}
	_ = server.Serve(only)
}

func (s *HTTPS) handle(w http.ResponseWriter, r *http.Request, conn *tls.Conn) {
	reply, ok := s.next(newHTTPSRequest(r, conn))
	if !ok {
		panic(http.ErrAbortHandler)
	}
	defer s.running.Done()
	reply.send(w, r, conn)
}

// next records request and chooses the reply to it. It counts as running, unless the service is closed.
func (s *HTTPS) next(request HTTPSRequest) (reply HTTPSReply, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return HTTPSReply{}, false
	}
	s.running.Add(1)
	s.requests = append(s.requests, request)
	switch {
	case request.Method != http.MethodGet:
		return HTTPSReply{Status: http.StatusMethodNotAllowed, Body: "only GET is allowed"}, true
	case request.Path != HTTPSPath:
		return HTTPSReply{Status: http.StatusNotFound, Body: "no such path"}, true
	case s.token != nil && request.Token() != *s.token:
		return HTTPSReply{Status: http.StatusUnauthorized, Body: "no valid token"}, true
	case len(s.script) > 0:
		reply = s.script[0]
		if len(s.script) > 1 {
			s.script = s.script[1:]
		}
		return reply, true
	case s.document == nil:
		return HTTPSReply{Status: http.StatusNotFound, Body: "no hotfix"}, true
	}
	return HTTPSReply{Body: *s.document}, true
}

// HTTPSRequest is one request that reached an [HTTPS], whatever was answered.
type HTTPSRequest struct {
	// Method, Host and Path are those of the request, Host being the :authority of HTTP/2.
	Method, Host, Path string
	// Header has all other fields, the token included.
	Header http.Header
	// Proto is the version of HTTP, such as "HTTP/2.0".
	Proto string
	// SNI and ALPN are those of the connection: the name in the client hello and the protocol selected.
	SNI, ALPN string
	// Time is when the request came, and Remote the client's address.
	Time   time.Time
	Remote string
}

// Token returns the request's Authorization, or "" if it has none.
func (r HTTPSRequest) Token() string { return r.Header.Get("Authorization") }

func newHTTPSRequest(r *http.Request, conn *tls.Conn) HTTPSRequest {
	state := conn.ConnectionState()
	return HTTPSRequest{
		Method: r.Method, Host: r.Host, Path: r.URL.Path, Header: r.Header.Clone(), Proto: r.Proto,
		SNI: state.ServerName, ALPN: state.NegotiatedProtocol,
		Time: time.Now(), Remote: r.RemoteAddr,
	}
}

// onlyConn is a listener with one connection.
type onlyConn struct {
	conn   chan net.Conn
	addr   net.Addr
	closed chan struct{}
	close  func()
}

func newOnlyConn(conn net.Conn) *onlyConn {
	l := &onlyConn{conn: make(chan net.Conn, 1), addr: conn.LocalAddr(), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	l.conn <- conn
	return l
}

// Accept returns the connection, and then nothing until the listener is closed.
func (l *onlyConn) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.closed:
		return nil, io.EOF
	}
}

// Close and Addr make it a [net.Listener].
func (l *onlyConn) Close() error   { l.close(); return nil }
func (l *onlyConn) Addr() net.Addr { return l.addr }
