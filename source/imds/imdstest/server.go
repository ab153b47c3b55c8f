package imdstest

import (
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// TB is the part of [testing.TB] that [Start] needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Server is a fake metadata service. It is safe for concurrent use.
type Server struct {
	url       string
	signature string
	http      *http.Server
	running   sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	replies  []Reply
	requests []Request
}

// Request is one request that the server received.
type Request struct {
	// Method, Path, Query and Header are what it said.
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	// Time is when it came in.
	Time time.Time
	// Refused says that the real service would not serve it: whatever [Server.Respond] says, it got an error of that
	// service's.
	Refused bool
}

// Option changes a server that is being built.
type Option func(*options)

type options struct {
	address   string
	signature string
}

// WithAddress sets where the server listens. The default is "127.0.0.1:0", a free port of the loopback.
func WithAddress(address string) Option {
	return func(o *options) { o.address = address }
}

// WithSignature sets the signature of the attested document. The default is 4 KiB of base64 that begins as PKCS#7
// does and differs from server to server.
func WithSignature(signature string) Option {
	return func(o *options) { o.signature = signature }
}

// New starts a server. Whoever calls it calls [Server.Close].
func New(opts ...Option) (*Server, error) {
	o := options{address: "127.0.0.1:0", signature: randomSignature()}
	for _, opt := range opts {
		opt(&o)
	}
	listener, err := net.Listen("tcp", o.address)
	if err != nil {
		return nil, err
	}
	s := &Server{
		url:       "http://" + listener.Addr().String(),
		signature: o.signature,
		replies:   []Reply{{}},
	}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	s.running.Go(func() { _ = s.http.Serve(listener) })
	return s, nil
}

// Start is [New] for a test: it fails the test if the server does not start, and closes the server after it.
func Start(tb TB, opts ...Option) *Server {
	tb.Helper()
	s, err := New(opts...)
	if err != nil {
		tb.Fatalf("imdstest: %v", err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// URL returns where the server is, without a path, for example "http://127.0.0.1:40123".
func (s *Server) URL() string { return s.url }

// Signature returns the signature of the attested document.
func (s *Server) Signature() string { return s.signature }

// Respond scripts what follows: each request takes the next reply, and the last reply stays. Requests that the real
// service would refuse are refused and take none. Without replies the server is its healthy self again.
func (s *Server) Respond(replies ...Reply) {
	if len(replies) == 0 {
		replies = []Reply{{}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = slices.Clone(replies)
}

// Requests returns every request so far, the refused ones included, in the order they came in.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Close stops the server, ends replies that hang, and waits for all of it. A server may be closed twice.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.http.Close()
	s.running.Wait()
	return err
}

// serve runs for each request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	reply, refused := refusal(r)
	if !s.enter(r, refused) {
		panic(http.ErrAbortHandler)
	}
	defer s.running.Done()
	if !refused {
		reply = s.next()
	}
	s.send(w, r, reply)
}

// enter records the request and counts it as running, unless the server is closed.
func (s *Server) enter(r *http.Request, refused bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.running.Add(1)
	s.requests = append(s.requests, Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), Time: time.Now(),
		Refused: refused,
	})
	return true
}

func (s *Server) next() Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	return reply
}

func randomSignature() string {
	der := make([]byte, 3<<10)
	_, _ = rand.Read(der) // it never fails
	// A DER sequence with a length of two bytes: what makes every attested signature begin with "MII".
	size := len(der) - 4
	copy(der, []byte{0x30, 0x82, byte(size >> 8), byte(size)})
	return base64.StdEncoding.EncodeToString(der)
}
