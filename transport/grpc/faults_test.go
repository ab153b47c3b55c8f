package grpc

import (
	"crypto/x509"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// faults is the table of docs/faults.md for what lies between the node and the service. The keys begin with the
// name of the case from the field.
func faults() map[string]faulttest.Fault {
	all := map[string]faulttest.Fault{
		"T7 TLS, then silence":   {Set: faulttest.Raw(nil, lpstest.WithoutSettings()), Class: faulttest.Eligible, Reason: "deadline", Cause: "no HTTP/2 SETTINGS", Outcome: faulttest.FellBack, Waits: true},
		"T7 SETTINGS, no reply":  {Set: faulttest.Raw(faulttest.Actions(lpstest.Silence())), Class: faulttest.Eligible, Reason: "deadline", Cause: "no reply", Outcome: faulttest.FellBack, Calls: 1, Waits: true},
		"hang up after request":  {Set: faulttest.Raw(faulttest.Actions(lpstest.CloseConnection())), Class: faulttest.Eligible, Reason: "connect", Cause: "EOF", Outcome: faulttest.FellBack, Calls: 2},
		"plain HTTP/1 on TLS":    {Set: http1, Class: faulttest.Eligible, Reason: "http-status", Code: "502", Cause: "Bad Gateway", Outcome: faulttest.FellBack},
		"ALPN not selected":      {Set: faulttest.With(healthy, lpstest.WithALPN()), Class: faulttest.Eligible, Reason: "alpn", Cause: `selected protocol ""`, Outcome: faulttest.FellBack},
		"T3 401 page":            {Set: page(401), Class: faulttest.Eligible, Reason: "http-status", Code: "401", Cause: "<h1>Who are you?</h1>", Outcome: faulttest.FellBack, Calls: 1},
		"T3 403 page":            {Set: page(403), Class: faulttest.Eligible, Reason: "http-status", Code: "403", Cause: "403", Outcome: faulttest.FellBack, Calls: 1},
		"T3 404 page":            {Set: page(404), Class: faulttest.Eligible, Reason: "http-status", Code: "404", Cause: "404", Outcome: faulttest.FellBack, Calls: 1},
		"T3 429 page":            {Set: page(429), Class: faulttest.Eligible, Reason: "http-status", Code: "429", Cause: "429", Outcome: faulttest.FellBack, Calls: 1},
		"T3 502 page":            {Set: page(502), Class: faulttest.Eligible, Reason: "http-status", Code: "502", Cause: "502", Outcome: faulttest.FellBack, Calls: 2},
		"T3 200 page":            {Set: page(200), Class: faulttest.Eligible, Reason: "http-status", Code: "200", Cause: "text/html", Outcome: faulttest.FellBack, Calls: 1},
		"T4 ENHANCE_YOUR_CALM":   {Set: reset(http2.ErrCodeEnhanceYourCalm), Class: faulttest.Eligible, Reason: "connect", Cause: "ENHANCE_YOUR_CALM", Outcome: faulttest.FellBack, Calls: 1},
		"T4 FLOW_CONTROL_ERROR":  {Set: reset(http2.ErrCodeFlowControl), Class: faulttest.Eligible, Reason: "connect", Cause: "FLOW_CONTROL_ERROR", Outcome: faulttest.FellBack, Calls: 1},
		"T4 INADEQUATE_SECURITY": {Set: reset(http2.ErrCodeInadequateSecurity), Class: faulttest.Eligible, Reason: "connect", Cause: "INADEQUATE_SECURITY", Outcome: faulttest.FellBack, Calls: 1},
		"T4 CANCEL":              {Set: reset(http2.ErrCodeCancel), Class: faulttest.Eligible, Reason: "connect", Cause: "CANCEL", Outcome: faulttest.FellBack, Calls: 1},
		"T4 REFUSED_STREAM":      {Set: reset(http2.ErrCodeRefusedStream), Class: faulttest.Eligible, Reason: "connect", Cause: "REFUSED_STREAM", Outcome: faulttest.FellBack, Calls: 2},
		"T4 5 MiB":               {Set: service(lpstest.Reply{Config: string(make([]byte, 5<<20))}), Class: faulttest.Authoritative, Reason: "malformed", Cause: "larger than max", Outcome: faulttest.Failed, Calls: 1},
		"T5 GOAWAY, stream seen": {Set: goAway(true), Class: faulttest.Eligible, Reason: "connect", Outcome: faulttest.FellBack, Calls: 2},
		"T5 GOAWAY, not seen":    {Set: goAway(false), Class: faulttest.Eligible, Reason: "connect", Cause: "the connection", Outcome: faulttest.FellBack, Calls: 2},
		"T11 ResourceExhausted":  {Set: service(lpstest.Reply{Code: codes.ResourceExhausted, Message: "slow down"}), Class: faulttest.Authoritative, Reason: "status", Code: "ResourceExhausted", Cause: "slow down", Outcome: faulttest.Failed, Calls: 1},
		"Unavailable, no words":  {Set: service(lpstest.Reply{Code: codes.Unavailable}), Class: faulttest.Eligible, Reason: "status", Code: "Unavailable", Cause: "without a message", Outcome: faulttest.FellBack, Calls: 2},
	}
	maps.Copy(all, faulttest.Common(healthy))
	return all
}

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faults(), func(t *testing.T, n faulttest.Node) transport.Transport {
		opts := []Option{WithTarget(n.Addr)}
		if n.Addr == "" {
			opts = []Option{WithDialer(n.Dial)}
		}
		tr, err := New(transport.Endpoint{Host: frontHost, CAs: n.CAs}, n.Tokens, opts...)
		require.NoError(t, err)
		t.Cleanup(func() { tr.Close() })
		return tr
	})
}

func TestFaultsAreDocumented(t *testing.T) {
	t.Parallel()
	faulttest.Documented(t, "../../docs/faults.md", "TestFaults", faults())
}

// service is a service that answers with reply.
func service(reply lpstest.Reply, opts ...lpstest.Option) func(t *testing.T) faulttest.Node {
	return func(t *testing.T) faulttest.Node {
		lps := lpstest.Start(t, opts...)
		lps.Respond(reply)
		return faulttest.Node{Addr: lps.Addr(), CAs: []*x509.Certificate{lps.CA().Certificate()},
			Tokens: transport.StaticToken(testToken), Calls: func() int { return len(lps.Calls()) }}
	}
}

func healthy(t *testing.T, opts ...lpstest.Option) faulttest.Node {
	return service(lpstest.Reply{Config: document}, opts...)(t)
}

func page(status int) func(t *testing.T) faulttest.Node {
	return faulttest.Raw(faulttest.Actions(lpstest.HTTPStatus(status, "text/html", "<html>\n<h1>Who are you?</h1>")))
}

func reset(code http2.ErrCode) func(t *testing.T) faulttest.Node {
	return faulttest.Raw(faulttest.Actions(lpstest.ResetStream(code)))
}

func goAway(processed bool) func(t *testing.T) faulttest.Node {
	return faulttest.Raw(faulttest.Actions(lpstest.InOrder(lpstest.GoAway(processed, http2.ErrCodeNo), lpstest.CloseConnection())))
}

func http1(t *testing.T) faulttest.Node {
	peer := lpstest.StartHTTP1(t)
	n := faulttest.Trusting(t, peer.Addr())
	n.CAs = []*x509.Certificate{peer.CA().Certificate()}
	return n
}
