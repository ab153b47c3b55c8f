package https

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

// maxHeader bounds the header of an answer in bytes, with room for a token of 12 KiB that is echoed there.
const maxHeader = 64 << 10

// session is one verified connection for one request, and the token presented on it.
type session struct {
	conn   *http.ClientConn
	secret string
	url    string
	op     string // what the request is named in errors
}

// connect gets the token and the connection side by side.
func (t *Transport) connect(ctx context.Context, b front.Budget, r *front.Retry, sources front.Sources) (*session, error) {
	ctx, cancel := b.ForSetUp(ctx)
	defer cancel()
	s := &session{url: serviceURL(t.options.ServerName())}
	var err error
	s.conn, s.secret, err = front.SetUp(ctx, sources, r, func(ctx context.Context, e transport.Endpoint) (*http.ClientConn, error) {
		s.op = "GET " + s.url + " at " + t.options.Address(e.Host)
		return t.dial(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// dial opens a verified connection to the front.
func (t *Transport) dial(ctx context.Context, e transport.Endpoint) (*http.ClientConn, error) {
	name := t.options.ServerName()
	conn, err := t.options.Connect(ctx, e, front.Hello{SNI: name, ALPN: []string{"h2", "http/1.1"}, ALPNOptional: true})
	if err != nil {
		return nil, err
	}
	c, err := newClientConn(ctx, conn, name)
	if err != nil {
		conn.Close()
		return nil, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect,
			Op: "HTTP with " + conn.RemoteAddr().String(), Err: err}
	}
	return c, nil
}

// newClientConn runs the HTTP that was negotiated over conn, which it owns from here on. A client connection is one
// connection: it has no proxy, follows no redirect, dials nothing and repeats nothing.
func newClientConn(ctx context.Context, conn *tls.Conn, name string) (*http.ClientConn, error) {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	h := &http.Transport{
		DialTLSContext:         func(context.Context, string, string) (net.Conn, error) { return conn, nil },
		Protocols:              protocols,
		DisableKeepAlives:      true,
		DisableCompression:     true, // the body as it is, and as large as it looks
		MaxResponseHeaderBytes: maxHeader,
	}
	return h.NewClientConn(ctx, "https", net.JoinHostPort(name, "443"))
}
