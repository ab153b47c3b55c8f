package grpc

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

const (
	component = "aksNodeController"
	frontHost = faulttest.FrontHost
	testToken = faulttest.Token
	document  = faulttest.Document
)

var request = transport.Request{Component: component}

// tokenFunc is a token source made of a function.
type tokenFunc func(context.Context) (string, error)

func (f tokenFunc) Token(ctx context.Context) (string, error) { return f(ctx) }

// newTransport returns a transport for the peer at addr that trusts ca.
func newTransport(t testing.TB, addr string, ca *x509.Certificate, tokens transport.TokenSource, opts ...Option) *Transport {
	t.Helper()
	endpoint := transport.Endpoint{Host: frontHost, CAs: []*x509.Certificate{ca}}
	tr, err := New(endpoint, tokens, append([]Option{WithTarget(addr)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, tr.Close()) })
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
	lps := lpstest.Start(t, lpstest.WithToken(testToken))
	lps.Serve(component, document)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

	doc, err := fetch(t, tr)

	require.NoError(t, err)
	assert.Equal(t, transport.Document{Component: component, Body: []byte(document), Code: "OK"}, doc)
	require.Len(t, lps.Calls(), 1)
	call := lps.Calls()[0]
	assert.Equal(t, component, call.Component)
	assert.Equal(t, frontHost, call.Authority)
	assert.Equal(t, frontHost, call.SNI)
	assert.Equal(t, "aks-live-patching", call.ALPN)
	assert.Equal(t, testToken, call.Token())
	assert.Equal(t, []string{"aks-live-patching", "h2"}, lps.Handshakes()[0].Offered)
}

func TestFetchOverH2WhenTheServerPrefersIt(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t, lpstest.WithALPN("h2"))
	lps.Serve(component, document)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

	_, err := fetch(t, tr)

	require.NoError(t, err)
	assert.Equal(t, "h2", lps.Calls()[0].ALPN)
}

// The sixteen codes, as DESIGN has them: once sent by the service, once made up.
var classTable = map[codes.Code]transport.Class{
	codes.Canceled:           transport.FallbackEligible,
	codes.Unknown:            transport.FallbackEligible,
	codes.InvalidArgument:    transport.Authoritative,
	codes.DeadlineExceeded:   transport.FallbackEligible,
	codes.NotFound:           transport.Benign,
	codes.AlreadyExists:      transport.FallbackEligible,
	codes.PermissionDenied:   transport.Benign,
	codes.ResourceExhausted:  transport.Authoritative,
	codes.FailedPrecondition: transport.FallbackEligible,
	codes.Aborted:            transport.FallbackEligible,
	codes.OutOfRange:         transport.FallbackEligible,
	codes.Unimplemented:      transport.FallbackEligible,
	codes.Internal:           transport.FallbackEligible,
	codes.Unavailable:        transport.FallbackEligible,
	codes.DataLoss:           transport.FallbackEligible,
	codes.Unauthenticated:    transport.Benign,
}

func TestClassifyVerdicts(t *testing.T) {
	t.Parallel()
	for code, class := range classTable {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			lps := lpstest.Start(t)
			lps.Respond(lpstest.Reply{Code: code, Message: "as asked"})
			tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

			_, err := fetch(t, tr)

			e := requireError(t, err, class, transport.ReasonStatus)
			assert.Equal(t, code.String(), e.Code)
			assert.ErrorContains(t, err, "as asked")
			assert.Equal(t, code, status.Code(e.Err), "the cause is still a status")
			want := 1
			if code == codes.Unavailable {
				want = 2
			}
			assert.Len(t, lps.Calls(), want)
		})
	}
}

func TestClassifyMadeUp(t *testing.T) {
	t.Parallel()
	for code := range classTable {
		e := classify(t.Context(), "call", status.Error(code, "made up"), new(verdict), testToken)
		assert.Equal(t, transport.FallbackEligible, e.Class, code)
		assert.NotEqual(t, transport.ReasonStatus, e.Reason, code)
	}
}

func TestFetchUnusableReply(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reply  lpstest.Reply
		class  transport.Class
		reason transport.Reason
	}{
		"empty":             {lpstest.Reply{}, transport.Benign, transport.ReasonEmpty},
		"another component": {lpstest.Reply{Config: document, Component: "localDNS"}, transport.Authoritative, transport.ReasonMalformed},
		"not protobuf":      {lpstest.Reply{RawBody: []byte("\xff\xff\xff")}, transport.Authoritative, transport.ReasonMalformed},
		"not UTF-8":         {lpstest.Reply{RawBody: []byte("\x12\x02\xff\xfe")}, transport.Authoritative, transport.ReasonMalformed},
		"a byte too large":  {lpstest.Reply{Config: string(make([]byte, transport.MaxDocumentSize+1))}, transport.Authoritative, transport.ReasonMalformed},
		"T4 5 MiB":          {lpstest.Reply{Config: string(make([]byte, 5<<20))}, transport.Authoritative, transport.ReasonMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.Start(t)
			lps.Respond(tc.reply)
			tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

			doc, err := fetch(t, tr)

			requireError(t, err, tc.class, tc.reason)
			assert.Zero(t, doc)
			assert.Len(t, lps.Calls(), 1)
		})
	}
}

func TestFetchLargestDocument(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Serve(component, string(make([]byte, transport.MaxDocumentSize)))
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

	doc, err := fetch(t, tr)

	require.NoError(t, err)
	assert.Len(t, doc.Body, transport.MaxDocumentSize)
}

func TestFetchT11RetriesUnavailableOnce(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Code: codes.Unavailable}, lpstest.Reply{Config: document})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

	doc, err := fetch(t, tr)

	require.NoError(t, err)
	assert.Equal(t, document, string(doc.Body))
	assert.Len(t, lps.Calls(), 2)
	assert.Equal(t, 1, lps.Conns(), "a healthy connection is used again")
}

func TestFetchRetriesALostConnectionOnce(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Reset: true}, lpstest.Reply{Config: document})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

	_, err := fetch(t, tr)
	require.NoError(t, err)
	assert.Equal(t, 2, lps.Conns())

	lps.Respond(lpstest.Reply{Reset: true})
	_, err = fetch(t, tr)
	requireError(t, err, transport.FallbackEligible, transport.ReasonConnect)
	assert.Len(t, lps.Calls(), 4)
}

func TestFetchObeysPushback(t *testing.T) {
	t.Parallel()
	for pushback, calls := range map[string]int{"-1": 1, "soon": 1, "3600000": 1, "150": 2} {
		t.Run(pushback, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.Start(t)
			lps.Respond(lpstest.Reply{Code: codes.Unavailable, Trailer: metadata.Pairs("grpc-retry-pushback-ms", pushback)})
			tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

			_, err := fetch(t, tr)

			requireError(t, err, transport.FallbackEligible, transport.ReasonStatus)
			assert.Len(t, lps.Calls(), calls)
		})
	}
}

// Which of two pauses is meant nobody knows, so there is no retry.
func TestTwoPushbacksAreNone(t *testing.T) {
	t.Parallel()
	assert.Equal(t, front.Never, pushback(metadata.Pairs("grpc-retry-pushback-ms", "100", "grpc-retry-pushback-ms", "100")))
}

func TestFetchWithoutToken(t *testing.T) {
	t.Parallel()
	for name, tokens := range map[string]transport.TokenSource{
		"T2 error":       tokenFunc(func(context.Context) (string, error) { return "", errors.New("status 500") }),
		"empty":          transport.StaticToken(""),
		"I6 line break":  transport.StaticToken("MIIK\nzAYJ"),
		"panic":          tokenFunc(func(context.Context) (string, error) { panic("boom") }),
		"never, in time": tokenFunc(func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.Start(t)
			lps.Serve(component, document)
			tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), tokens)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()

			_, err := tr.Fetch(ctx, request)

			requireError(t, err, transport.FallbackEligible, transport.ReasonIdentity)
			assert.Empty(t, lps.Calls(), "no call without a token")
		})
	}
}

func TestFetchLateTokenStillGetsItsCall(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Config: document, Delay: 600 * time.Millisecond})
	// The call begins when 300 ms of the set-up's time are left, and takes longer than that.
	late := tokenFunc(func(ctx context.Context) (string, error) {
		deadline, _ := ctx.Deadline()
		select {
		case <-time.After(time.Until(deadline) - 300*time.Millisecond):
			return testToken, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), late)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()

	_, err := tr.Fetch(ctx, request)

	require.NoError(t, err)
}

func TestFetchWithoutEndpoint(t *testing.T) {
	t.Parallel()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	cas := []*x509.Certificate{ca.Certificate()}
	for name, endpoints := range map[string]transport.EndpointSource{
		"error":   endpointFunc(func(context.Context) (transport.Endpoint, error) { return transport.Endpoint{}, errors.New("no file") }),
		"no host": transport.Endpoint{CAs: cas},
		"no CA":   transport.Endpoint{Host: frontHost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr, err := New(endpoints, transport.StaticToken(testToken))
			require.NoError(t, err)

			_, err = tr.Fetch(t.Context(), request)

			requireError(t, err, transport.FallbackEligible, transport.ReasonConfig)
		})
	}
}

type endpointFunc func(context.Context) (transport.Endpoint, error)

func (f endpointFunc) Endpoint(ctx context.Context) (transport.Endpoint, error) { return f(ctx) }

func TestFetchCanceled(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Hang: true})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(200*time.Millisecond, cancel)

	_, err := tr.Fetch(ctx, request)

	requireError(t, err, transport.Authoritative, transport.ReasonCanceled)
	require.ErrorIs(t, err, context.Canceled)
}

// The service knows the deadline too, and may end the call a moment before us: the reason is the same every time.
func TestFetchHangingCall(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Hang: true})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()

			_, err := tr.Fetch(ctx, request)

			requireError(t, err, transport.FallbackEligible, transport.ReasonDeadline)
		})
	}
	wg.Wait()
	assert.Len(t, lps.Calls(), 20)
}

func TestFetchSharesConnectionAndToken(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Serve(component, document)
	var tokens sync.Map
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), tokenFunc(func(context.Context) (string, error) {
		tokens.Store(fmt.Sprint(time.Now().UnixNano()), true)
		return testToken, nil
	}))

	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := fetch(t, tr)
			assert.NoError(t, err)
		})
	}
	wg.Wait()

	assert.Len(t, lps.Calls(), 8)
	assert.Equal(t, 1, lps.Conns())
	count := 0
	tokens.Range(func(any, any) bool { count++; return true })
	assert.Equal(t, 1, count)
}

func TestFetchConnectsAnewAfterTheServerRestarted(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Serve(component, document)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
	_, err := fetch(t, tr)
	require.NoError(t, err)
	lps.Stop()
	require.NoError(t, lps.Restart())

	_, err = fetch(t, tr)

	require.NoError(t, err)
	assert.Equal(t, 2, lps.Conns())
}

func TestFetchDoesNotForwardTheCallersMetadata(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Serve(component, document)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "host-secret", "x")

	_, err := tr.Fetch(ctx, request)

	require.NoError(t, err)
	assert.Empty(t, lps.Calls()[0].Metadata.Get("host-secret"))
}

// A reply with the token in it is not used at all: parts of it would be quoted in warnings.
func TestR4EchoInAReply(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]lpstest.Reply{
		"component": {Component: testToken, Config: document},
		"key":       {Config: `{"hotfixes":{"` + testToken + `":"x"}}`},
		"value":     {Config: `{"hotfixes":{"202604.01":"` + testToken[20:60] + `"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.Start(t)
			lps.Respond(reply)
			tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

			_, err := fetch(t, tr)

			requireError(t, err, transport.Authoritative, transport.ReasonMalformed)
			assert.NotContains(t, err.Error(), testToken[20:40])
		})
	}
}

func TestR4EchoedTokenIsRedacted(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Code: codes.Internal, Message: "bad token ", EchoToken: true})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

	_, err := fetch(t, tr)

	requireError(t, err, transport.FallbackEligible, transport.ReasonStatus)
	assert.ErrorContains(t, err, "bad token [redacted]")
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() (*Transport, error){
		"no endpoints": func() (*Transport, error) { return New(nil, transport.StaticToken(testToken)) },
		"no tokens":    func() (*Transport, error) { return New(transport.Endpoint{}, nil) },
		"target": func() (*Transport, error) {
			return New(transport.Endpoint{}, transport.StaticToken(""), WithTarget("host"))
		},
		"no server name": func() (*Transport, error) {
			return New(transport.Endpoint{}, transport.StaticToken(""), WithServerName(""))
		},
		"old TLS": func() (*Transport, error) {
			return New(transport.Endpoint{}, transport.StaticToken(""), WithMinTLSVersion(0x0302))
		},
		"nil dialer": func() (*Transport, error) {
			return New(transport.Endpoint{}, transport.StaticToken(""), WithDialer(nil))
		},
		"nil logger": func() (*Transport, error) {
			return New(transport.Endpoint{}, transport.StaticToken(""), WithLogger(nil))
		},
	} {
		_, err := build()
		assert.Error(t, err, name)
	}
}

// A rack of nodes that were refused together, or were asked for the same pause, does not come again as one.
func TestG1PausesAreSpreadOut(t *testing.T) {
	t.Parallel()
	for asked, trailer := range map[time.Duration]metadata.MD{0: nil, time.Second: metadata.Pairs("grpc-retry-pushback-ms", "1000")} {
		lowest, highest := time.Hour, time.Duration(0)
		for range 1000 {
			pause := pushback(trailer)
			lowest, highest = min(lowest, pause), max(highest, pause)
		}
		assert.GreaterOrEqual(t, lowest, asked+front.MinPause)
		assert.Less(t, highest, asked+front.MaxPause)
		assert.Greater(t, highest-lowest, (front.MaxPause-front.MinPause)*9/10)
	}
}
