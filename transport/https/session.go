package https

import (
	"context"
	"net"
	"net/http"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

// maxHeader bounds the header of an answer in bytes, with room for a token of 12 KiB that is echoed there.
const maxHeader = 64 << 10

// session is one verified connection for one request, and the token presented on it.
type session struct {
	*http.ClientConn
	peer   *front.Watched
	http2  bool
	secret string
	url    string
	op     string // what the request is named in errors
}

// connect gets the token and the connection side by side.
func (t *Transport) connect(ctx context.Context, b front.Budget, r *front.Retry, sources front.Sources) (*session, error) {
	ctx, cancel := b.ForSetUp(ctx)
	defer cancel()
	s, secret, err := front.SetUp(ctx, sources, r, t.dial)
	if err != nil {
		return nil, err
	}
	s.secret = secret
	return s, nil
}

// dial opens a verified connection to the front.
func (t *Transport) dial(ctx context.Context, e transport.Endpoint) (*session, error) {
	name := t.options.ServerName()
	conn, err := t.options.Connect(ctx, e, front.HTTPSHello(name))
	if err != nil {
		return nil, err
	}
	s, err := newSession(ctx, conn, conn.ConnectionState().NegotiatedProtocol == "h2", name)
	if err != nil {
		conn.Close()
		return nil, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect,
			Op: "HTTP with " + conn.RemoteAddr().String(), Err: err}
	}
	s.op = "GET " + s.url + " at " + t.options.Address(e.Host)
	return s, nil
}

// newSession runs HTTP over conn, which it owns from here on unless it fails. To net/http the connection is a plain one
// whose protocol is known, as TLS is done. A client connection is one connection: it has no proxy, follows no redirect,
// dials nothing and repeats nothing.
func newSession(ctx context.Context, conn net.Conn, http2 bool, name string) (*session, error) {
	s := &session{peer: front.Watch(conn), http2: http2, url: serviceURL(name)}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2)
	protocols.SetUnencryptedHTTP2(http2)
	h := &http.Transport{
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return s.peer, nil },
		Protocols:              protocols,
		DisableCompression:     true, // the body as it is, and as large as it looks
		MaxResponseHeaderBytes: maxHeader,
	}
	var err error
	s.ClientConn, err = h.NewClientConn(ctx, "http", net.JoinHostPort(name, "443"))
	return s, err
}
