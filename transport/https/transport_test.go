package https

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"

	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

const (
	frontHost = faulttest.FrontHost
	testToken = faulttest.Token
	document  = faulttest.Document
)

var request = transport.Request{Component: DefaultComponent}

// tokenFunc is a token source made of a function.
type tokenFunc func(context.Context) (string, error)

func (f tokenFunc) Token(ctx context.Context) (string, error) { return f(ctx) }

// newTransport returns a transport for lps.
func newTransport(t testing.TB, lps *lpstest.HTTPS, tokens transport.TokenSource, opts ...Option) *Transport {
	t.Helper()
	endpoint := transport.Endpoint{Host: frontHost, CAs: []*x509.Certificate{lps.CA().Certificate()}}
	tr, err := New(endpoint, tokens, append([]Option{WithTarget(lps.Addr())}, opts...)...)
	require.NoError(t, err)
	return tr
}

// fetch fetches with more time than a node has: machines that run tests are busy.
func fetch(t testing.TB, tr *Transport) (transport.Document, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return tr.Fetch(ctx, request)
}

// requireError asserts class and reason, and that the token is nowhere in the error's chain.
func requireError(t testing.TB, err error, class transport.Class, reason transport.Reason) *transport.Error {
	t.Helper()
	e, ok := errors.AsType[*transport.Error](err)
	require.True(t, ok, "not classified: %v", err)
	assert.Equal(t, class, e.Class, "%v", err)
	assert.Equal(t, reason, e.Reason, "%v", err)
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		assert.NotContains(t, cause.Error(), testToken)
	}
	return e
}

func TestFetch(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		offered []string // by the service
		alpn    string
		proto   string
	}{
		"HTTP/2":               {[]string{"h2", "http/1.1"}, "h2", "HTTP/2.0"},
		"HTTP/1.1":             {[]string{"http/1.1"}, "http/1.1", "HTTP/1.1"},
		"the service's choice": {[]string{"http/1.1", "h2"}, "http/1.1", "HTTP/1.1"},
		"ALPN not selected":    {nil, "", "HTTP/1.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.StartHTTPS(t, lpstest.WithToken(testToken), lpstest.WithALPN(tc.offered...))
			lps.Serve(document)

			doc, err := fetch(t, newTransport(t, lps, transport.StaticToken(testToken)))

			require.NoError(t, err)
			assert.Equal(t, transport.Document{Component: DefaultComponent, Body: []byte(document), Code: "200"}, doc)
			require.Len(t, lps.Requests(), 1)
			r := lps.Requests()[0]
			assert.Equal(t, "GET", r.Method)
			assert.Equal(t, "/v1/anc-hotfix", r.Path)
			assert.Equal(t, DefaultServerName, r.Host)
			assert.Equal(t, DefaultServerName, r.SNI)
			assert.Equal(t, testToken, r.Token())
			assert.Equal(t, tc.alpn, r.ALPN)
			assert.Equal(t, tc.proto, r.Proto)
			assert.Equal(t, "bootpointer", r.Header.Get("User-Agent"))
			assert.Empty(t, r.Header.Get("Accept-Encoding"), "the body has to come as it is")
			if r.Proto == "HTTP/1.1" {
				assert.Equal(t, "close", r.Header.Get("Connection"), "one connection, one request")
			}
			assert.Equal(t, []string{"h2", "http/1.1"}, lps.Handshakes()[0].Offered)
		})
	}
}

func TestFetchInFrames(t *testing.T) {
	t.Parallel()
	peer := lpstest.StartRawHTTP2(t)
	peer.Respond(lpstest.HTTPStatus(200, "application/json", document))
	tr, err := New(transport.Endpoint{Host: frontHost, CAs: []*x509.Certificate{peer.CA().Certificate()}},
		transport.StaticToken(testToken), WithTarget(peer.Addr()))
	require.NoError(t, err)

	_, err = fetch(t, tr)

	require.NoError(t, err)
	require.Len(t, peer.Requests(), 1)
	assert.Equal(t, metadata.MD{":method": {"GET"}, ":scheme": {"https"}, ":authority": {DefaultServerName},
		":path": {"/v1/anc-hotfix"}, "authorization": {testToken}, "user-agent": {"bootpointer"}}, peer.Requests()[0].Header)
}

func TestFetchUnusableAnswer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body   string
		class  transport.Class
		reason transport.Reason
	}{
		"empty":            {"", transport.Benign, transport.ReasonEmpty},
		"a byte too large": {strings.Repeat("x", transport.MaxDocumentSize+1), transport.Authoritative, transport.ReasonMalformed},
		"T4 5 MiB":         {strings.Repeat("x", 5<<20), transport.Authoritative, transport.ReasonMalformed},
		"R4 token in it":   {`{"hotfixes":{"` + testToken[20:60] + `":""}}`, transport.Authoritative, transport.ReasonMalformed},
	} {
		for _, proto := range []string{"h2", "http/1.1"} {
			t.Run(name+" "+proto, func(t *testing.T) {
				t.Parallel()
				lps := lpstest.StartHTTPS(t, lpstest.WithALPN(proto))
				lps.Serve(tc.body)

				doc, err := fetch(t, newTransport(t, lps, transport.StaticToken(testToken)))

				e := requireError(t, err, tc.class, tc.reason)
				assert.Equal(t, "200", e.Code)
				assert.Zero(t, doc)
				assert.Len(t, lps.Requests(), 1)
			})
		}
	}
}

// The service has one document. Who asks for another gets no request out, and may ask elsewhere.
func TestFetchAnotherComponent(t *testing.T) {
	t.Parallel()
	lps := lpstest.StartHTTPS(t)
	lps.Serve(document)

	tr := newTransport(t, lps, transport.StaticToken(testToken))
	_, err := tr.Fetch(t.Context(), transport.Request{Component: "localDNS"})
	requireError(t, err, transport.FallbackEligible, transport.ReasonConfig)
	assert.ErrorContains(t, err, "localDNS")
	assert.Zero(t, lps.Conns())

	tr = newTransport(t, lps, transport.StaticToken(testToken), WithComponent("localDNS"))
	doc, err := tr.Fetch(t.Context(), transport.Request{Component: "localDNS"})
	require.NoError(t, err)
	assert.Equal(t, "localDNS", doc.Component)
}

func TestFetchFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	trap := lpstest.StartHangup(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		lps := lpstest.StartHTTPS(t)
		reply := lpstest.HTTPSRedirect("https://" + trap.Addr() + "/?token=" + testToken)
		reply.Status = status
		lps.Respond(reply)

		_, err := fetch(t, newTransport(t, lps, transport.StaticToken(testToken)))

		e := requireError(t, err, transport.FallbackEligible, transport.ReasonHTTPStatus)
		assert.Equal(t, fmt.Sprint(status), e.Code)
		assert.ErrorContains(t, err, "not followed to https://"+trap.Addr()+"/?token=[redacted]")
		assert.Len(t, lps.Requests(), 1)
	}
	assert.Zero(t, trap.Conns())
}

func TestFetchT11RetriesOnce(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]lpstest.HTTPSReply{
		"502":               {Status: 502},
		"503":               {Status: 503},
		"504":               {Status: 504},
		"503, soon":         {Status: 503, Header: http.Header{"Retry-After": {"0"}}},
		"connection lost":   {Reset: true},
		"half of an answer": {Cut: true, Body: document},
	} {
		for _, proto := range []string{"h2", "http/1.1"} {
			t.Run(name+" "+proto, func(t *testing.T) {
				t.Parallel()
				lps := lpstest.StartHTTPS(t, lpstest.WithALPN(proto))
				lps.Respond(first, lpstest.HTTPSReply{Body: document})
				var tokens atomic.Int32
				tr := newTransport(t, lps, tokenFunc(func(context.Context) (string, error) {
					tokens.Add(1)
					return testToken, nil
				}))

				doc, err := fetch(t, tr)

				require.NoError(t, err)
				assert.Equal(t, document, string(doc.Body))
				assert.Len(t, lps.Requests(), 2)
				assert.Equal(t, 2, lps.Conns(), "the retry may meet another replica")
				assert.EqualValues(t, 1, tokens.Load(), "the token is known")

				lps.Respond(first)
				_, err = fetch(t, tr)
				assert.Equal(t, transport.FallbackEligible, transport.ClassOf(err))
				assert.Len(t, lps.Requests(), 4)
			})
		}
	}
}

// A front that drains closes what it has just accepted. How that shows is a matter of moments; it is always a lost
// connection.
func TestFetchRetriesWhenTheFrontHangsUp(t *testing.T) {
	t.Parallel()
	for _, proto := range []string{"h2", "http/1.1"} {
		t.Run(proto, func(t *testing.T) {
			t.Parallel()
			var conns atomic.Int32
			addr, ca := serveTLS(t, proto, func(*tls.Conn) { conns.Add(1) })
			tr, err := New(transport.Endpoint{Host: frontHost, CAs: []*x509.Certificate{ca}},
				transport.StaticToken(testToken), WithTarget(addr))
			require.NoError(t, err)

			for range 5 {
				conns.Store(0)
				_, err = fetch(t, tr)

				requireError(t, err, transport.FallbackEligible, transport.ReasonConnect)
				assert.EqualValues(t, 2, conns.Load(), "%v", err)
			}
		})
	}
}

// What the service said counts, also when it cannot be asked once more.
func TestFetchKeepsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	lps := lpstest.StartHTTPS(t)
	lps.Respond(lpstest.HTTPSReply{Status: 503, Body: "no healthy upstream"})
	var dials atomic.Int32
	tr := newTransport(t, lps, transport.StaticToken(testToken), WithDialer(
		func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials.Add(1) > 1 {
				return nil, errors.New("no more")
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}))

	_, err := fetch(t, tr)

	e := requireError(t, err, transport.FallbackEligible, transport.ReasonHTTPStatus)
	assert.Equal(t, "503", e.Code)
	assert.ErrorContains(t, err, "no healthy upstream; once more: dial")
	assert.EqualValues(t, 2, dials.Load())
}

func TestFetchObeysRetryAfter(t *testing.T) {
	t.Parallel()
	const budget = 4 * time.Second
	for name, tc := range map[string]struct {
		status   int
		after    string
		requests int
		pause    time.Duration
	}{
		"a second":              {503, "1", 2, time.Second},
		"as long as the set-up": {503, "3", 1, 0},
		"an hour":               {503, "3600", 1, 0},
		"a date":                {502, "Fri, 31 Dec 2999 23:59:59 GMT", 1, 0},
		"too many requests":     {429, "0", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.StartHTTPS(t)
			lps.Respond(lpstest.HTTPSReply{Status: tc.status, Header: http.Header{"Retry-After": {tc.after}}})
			tr := newTransport(t, lps, transport.StaticToken(testToken))
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			defer cancel()

			_, err := tr.Fetch(ctx, request)

			e, ok := errors.AsType[*transport.Error](err)
			require.True(t, ok)
			assert.Equal(t, fmt.Sprint(tc.status), e.Code)
			requests := lps.Requests()
			require.Len(t, requests, tc.requests)
			if tc.requests == 2 {
				assert.GreaterOrEqual(t, requests[1].Time.Sub(requests[0].Time), tc.pause+100*time.Millisecond)
			}
		})
	}
}

func TestFetchWithoutToken(t *testing.T) {
	t.Parallel()
	for name, tokens := range map[string]transport.TokenSource{
		"T2 error":      tokenFunc(func(context.Context) (string, error) { return "", errors.New("status 500") }),
		"empty":         transport.StaticToken(""),
		"I6 line break": transport.StaticToken("MIIK\nzAYJ"),
		"panic":         tokenFunc(func(context.Context) (string, error) { panic("boom") }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.StartHTTPS(t)
			lps.Serve(document)

			_, err := fetch(t, newTransport(t, lps, tokens))

			requireError(t, err, transport.FallbackEligible, transport.ReasonIdentity)
			assert.Empty(t, lps.Requests(), "no request without a token")
		})
	}
}

func TestFetchLateTokenStillGetsItsCall(t *testing.T) {
	t.Parallel()
	lps := lpstest.StartHTTPS(t)
	lps.Respond(lpstest.HTTPSReply{Body: document, Delay: 300 * time.Millisecond})
	// The request begins when 100 ms of the set-up's time are left, and takes longer than that.
	late := tokenFunc(func(ctx context.Context) (string, error) {
		deadline, _ := ctx.Deadline()
		select {
		case <-time.After(time.Until(deadline) - 100*time.Millisecond):
			return testToken, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()

	_, err := newTransport(t, lps, late).Fetch(ctx, request)

	require.NoError(t, err)
}

// The caller gives up at every stage of an answer.
func TestFetchCanceled(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]lpstest.HTTPSReply{
		"no answer": {Hang: true}, "half an answer": {Stall: true, Body: document}, "a pause": {Status: 503, Header: http.Header{"Retry-After": {"5"}}},
	} {
		for _, proto := range []string{"h2", "http/1.1"} {
			t.Run(name+" "+proto, func(t *testing.T) {
				t.Parallel()
				lps := lpstest.StartHTTPS(t, lpstest.WithALPN(proto))
				lps.Respond(reply)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				time.AfterFunc(300*time.Millisecond, cancel)

				_, err := newTransport(t, lps, transport.StaticToken(testToken)).Fetch(ctx, request)

				if name == "a pause" {
					requireError(t, err, transport.FallbackEligible, transport.ReasonHTTPStatus)
					assert.Len(t, lps.Requests(), 1)
					return
				}
				requireError(t, err, transport.Authoritative, transport.ReasonCanceled)
				require.ErrorIs(t, err, context.Canceled)
			})
		}
	}
}

// An answer whose end only the end of the connection tells is not whole because we have hung up.
func TestFetchThatIsOverHasNoAnswer(t *testing.T) {
	t.Parallel()
	addr, ca := serveTLS(t, "http/1.1", func(conn *tls.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n{")
		_, _ = io.Copy(io.Discard, conn)
	})
	tr, err := New(transport.Endpoint{Host: frontHost, CAs: []*x509.Certificate{ca}}, transport.StaticToken(testToken),
		WithDialer(func(ctx context.Context, network, _ string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, addr)
			return slowToClose{conn}, err
		}))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()

	_, err = tr.Fetch(ctx, request)

	requireError(t, err, transport.FallbackEligible, transport.ReasonDeadline)
}

// slowToClose leaves time between the end of TLS, which the peer sees, and that of TCP.
type slowToClose struct{ net.Conn }

func (c slowToClose) Close() error {
	time.Sleep(200 * time.Millisecond)
	return c.Conn.Close()
}

// serveTLS has each connection served after its handshake, and closed.
func serveTLS(t *testing.T, proto string, serve func(*tls.Conn)) (addr string, _ *x509.Certificate) {
	t.Helper()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	cert, err := ca.Issue()
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			raw, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				conn := tls.Server(raw, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{proto}})
				defer conn.Close()
				if conn.Handshake() == nil {
					serve(conn)
				}
			})
		}
	})
	t.Cleanup(func() { ln.Close(); serving.Wait() })
	return ln.Addr().String(), ca.Certificate()
}

func TestR4EchoedTokenIsRedacted(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 400, 500} {
		lps := lpstest.StartHTTPS(t)
		lps.Respond(lpstest.HTTPSReply{Status: status, Body: "<p>\n bad token ", EchoToken: true})

		_, err := fetch(t, newTransport(t, lps, transport.StaticToken(testToken)))

		require.ErrorContains(t, err, "<p> bad token [redacted]")
		requireError(t, err, verdictOf(status).class, verdictOf(status).reason)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	with := func(opt Option) func() (*Transport, error) {
		return func() (*Transport, error) {
			return New(transport.Endpoint{}, transport.StaticToken(""), opt)
		}
	}
	for name, build := range map[string]func() (*Transport, error){
		"no endpoints":            func() (*Transport, error) { return New(nil, transport.StaticToken("")) },
		"no tokens":               func() (*Transport, error) { return New(transport.Endpoint{}, nil) },
		"target":                  with(WithTarget("host")),
		"no server name":          with(WithServerName("")),
		"server name with path":   with(WithServerName("a.example/x")),
		"server name with user":   with(WithServerName("user@a.example")),
		"server name with blanks": with(WithServerName("a example")),
		"no component":            with(WithComponent("")),
		"old TLS":                 with(WithMinTLSVersion(0x0302)),
		"nil dialer":              with(WithDialer(nil)),
		"nil logger":              with(WithLogger(nil)),
	} {
		_, err := build()
		assert.ErrorContains(t, err, "https transport: ", name)
	}
}

// The name in the node config decides what is dialled, and nothing else.
func TestC4Names(t *testing.T) {
	t.Parallel()
	for host, address := range map[string]string{
		frontHost: frontHost + ":443", "10.0.0.4": "10.0.0.4:443", "fd00::1": "[fd00::1]:443",
	} {
		lps := lpstest.StartHTTPS(t)
		lps.Serve(document)
		var dialled string
		tr, err := New(transport.Endpoint{Host: host, CAs: []*x509.Certificate{lps.CA().Certificate()}},
			transport.StaticToken(testToken), WithDialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
				dialled = addr
				return new(net.Dialer).DialContext(ctx, network, lps.Addr())
			}))
		require.NoError(t, err)

		_, err = fetch(t, tr)

		require.NoError(t, err)
		assert.Equal(t, address, dialled)
		assert.Equal(t, DefaultServerName, lps.Requests()[0].SNI)
		assert.Equal(t, DefaultServerName, lps.Requests()[0].Host)
	}
}

func TestFetchFromAnotherServerName(t *testing.T) {
	t.Parallel()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	cert, err := ca.Issue(lpstest.WithDNSNames("other.example"))
	require.NoError(t, err)
	lps := lpstest.StartHTTPS(t, lpstest.WithCA(ca), lpstest.WithCertificate(cert))
	lps.Serve(document)

	_, err = fetch(t, newTransport(t, lps, transport.StaticToken(testToken), WithServerName("other.example")))

	require.NoError(t, err)
	assert.Equal(t, "other.example", lps.Requests()[0].SNI)
	assert.Equal(t, "other.example", lps.Requests()[0].Host)
}
