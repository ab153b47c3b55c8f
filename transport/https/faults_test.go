package https

import (
	"crypto/x509"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// faults is the table of docs/faults.md for HTTPS. The keys begin with the name of the case from the field.
func faults() map[string]faulttest.Fault {
	const (
		eligible      = faulttest.Eligible
		authoritative = faulttest.Authoritative
		benign        = faulttest.Benign
		fellBack      = faulttest.FellBack
		nothing       = faulttest.Nothing
		failed        = faulttest.Failed
	)
	return map[string]faulttest.Fault{
		"T3 401":                 {Set: status(401), Class: benign, Reason: "status", Code: "401", Cause: "Unauthorized: <h1>Who are you?</h1>", Outcome: nothing, Calls: 1},
		"T3 403":                 {Set: status(403), Class: benign, Reason: "status", Code: "403", Cause: "Forbidden", Outcome: nothing, Calls: 1},
		"T3 404":                 {Set: status(404), Class: benign, Reason: "status", Code: "404", Cause: "Not Found", Outcome: nothing, Calls: 1},
		"400":                    {Set: status(400), Class: authoritative, Reason: "status", Code: "400", Cause: "Bad Request", Outcome: failed, Calls: 1},
		"T3 429":                 {Set: status(429), Class: authoritative, Reason: "status", Code: "429", Cause: "Too Many Requests", Outcome: failed, Calls: 1},
		"I4 302":                 {Set: service(lpstest.HTTPSRedirect("https://192.0.2.1/")), Class: eligible, Reason: "http-status", Code: "302", Cause: "not followed to https://192.0.2.1/", Outcome: fellBack, Calls: 1},
		"500":                    {Set: status(500), Class: eligible, Reason: "http-status", Code: "500", Cause: "Internal Server Error", Outcome: fellBack, Calls: 1},
		"T3 502":                 {Set: status(502), Class: eligible, Reason: "http-status", Code: "502", Cause: "Bad Gateway", Outcome: fellBack, Calls: 2},
		"T11 503":                {Set: status(503), Class: eligible, Reason: "http-status", Code: "503", Cause: "Service Unavailable", Outcome: fellBack, Calls: 2},
		"503, Retry-After":       {Set: service(lpstest.HTTPSReply{Status: 503, Header: http.Header{"Retry-After": {"3600"}}}), Class: eligible, Reason: "http-status", Code: "503", Outcome: fellBack, Calls: 1},
		"504":                    {Set: status(504), Class: eligible, Reason: "http-status", Code: "504", Cause: "Gateway Timeout", Outcome: fellBack, Calls: 2},
		"204":                    {Set: service(lpstest.HTTPSReply{Status: 204}), Class: eligible, Reason: "http-status", Code: "204", Cause: "No Content", Outcome: fellBack, Calls: 1},
		"P4 no body":             {Set: service(lpstest.HTTPSReply{}), Class: benign, Reason: "empty", Code: "200", Outcome: nothing, Calls: 1},
		"P4 no hotfixes":         {Set: service(lpstest.HTTPSReply{Body: "{}"}), Class: benign, Reason: "empty", Code: "200", Outcome: nothing, Calls: 1},
		"T3 200 page":            {Set: service(lpstest.HTTPSReply{Body: "<html>"}), Class: authoritative, Reason: "malformed", Code: "200", Outcome: failed, Calls: 1},
		"T4 5 MiB":               {Set: service(lpstest.HTTPSReply{Body: strings.Repeat("x", 5<<20)}), Class: authoritative, Reason: "malformed", Code: "200", Cause: "1048576", Outcome: failed, Calls: 1},
		"header of 100 KiB":      {Set: service(lpstest.HTTPSReply{Header: http.Header{"X": {strings.Repeat("x", 100<<10)}}}, lpstest.WithALPN("http/1.1")), Class: eligible, Reason: "connect", Cause: "header", Outcome: fellBack, Calls: 1},
		"T7 TLS, then silence":   {Set: faulttest.Raw(nil, lpstest.WithoutSettings()), Class: eligible, Reason: "deadline", Cause: "no whole answer", Outcome: fellBack, Calls: 1, Waits: true},
		"T7 no answer":           {Set: service(lpstest.HTTPSReply{Hang: true}), Class: eligible, Reason: "deadline", Cause: "no whole answer", Outcome: fellBack, Calls: 1, Waits: true},
		"T7 half an answer":      {Set: service(lpstest.HTTPSReply{Stall: true, Body: document}), Class: eligible, Reason: "deadline", Cause: "no whole answer", Outcome: fellBack, Calls: 1, Waits: true},
		"hang up in an answer":   {Set: service(lpstest.HTTPSReply{Cut: true, Body: document}), Class: eligible, Reason: "connect", Outcome: fellBack, Calls: 2},
		"reset after request":    {Set: service(lpstest.HTTPSReply{Reset: true}, lpstest.WithALPN("http/1.1")), Class: eligible, Reason: "connect", Cause: "reset", Outcome: fellBack, Calls: 2},
		"hang up after request":  {Set: faulttest.Raw(faulttest.Actions(lpstest.CloseConnection())), Class: eligible, Reason: "connect", Cause: "EOF", Outcome: fellBack, Calls: 2},
		"HTTP/1 for HTTP/2":      {Set: http1, Class: eligible, Reason: "http-status", Code: "502", Cause: "Bad Gateway", Outcome: fellBack},
		"T4 ENHANCE_YOUR_CALM":   {Set: reset(http2.ErrCodeEnhanceYourCalm), Class: eligible, Reason: "connect", Cause: "ENHANCE_YOUR_CALM", Outcome: fellBack, Calls: 1},
		"T4 FLOW_CONTROL_ERROR":  {Set: reset(http2.ErrCodeFlowControl), Class: eligible, Reason: "connect", Cause: "FLOW_CONTROL_ERROR", Outcome: fellBack, Calls: 1},
		"T4 INADEQUATE_SECURITY": {Set: reset(http2.ErrCodeInadequateSecurity), Class: eligible, Reason: "connect", Cause: "INADEQUATE_SECURITY", Outcome: fellBack, Calls: 1},
		"T4 CANCEL":              {Set: reset(http2.ErrCodeCancel), Class: eligible, Reason: "connect", Cause: "CANCEL", Outcome: fellBack, Calls: 1},
		"T4 REFUSED_STREAM":      {Set: reset(http2.ErrCodeRefusedStream), Class: eligible, Reason: "connect", Cause: "REFUSED_STREAM", Outcome: fellBack, Calls: 1},
		"T5 GOAWAY, stream seen": {Set: goAway(true, lpstest.CloseConnection()), Class: eligible, Reason: "connect", Cause: "GOAWAY", Outcome: fellBack, Calls: 2},
		"T5 GOAWAY, not seen":    {Set: goAway(false, lpstest.Silence()), Class: eligible, Reason: "connect", Cause: "GOAWAY", Outcome: fellBack, Calls: 2},
	}
}

func build(t *testing.T, n faulttest.Node) transport.Transport {
	opts := []Option{WithTarget(n.Addr)}
	if n.Addr == "" {
		opts = []Option{WithDialer(n.Dial)}
	}
	tr, err := New(transport.Endpoint{Host: frontHost, CAs: n.CAs}, n.Tokens, opts...)
	require.NoError(t, err)
	return tr
}

func TestHTTPSFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faults(), build)
}

// What is wrong below HTTP is said in the same words as over gRPC.
func TestCommonFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.Common(healthy), build)
}

func TestFaultsAreDocumented(t *testing.T) {
	t.Parallel()
	faulttest.Documented(t, "../../docs/faults.md", "TestHTTPSFaults", faults())
}

// service is a service that answers with reply.
func service(reply lpstest.HTTPSReply, opts ...lpstest.Option) func(t *testing.T) faulttest.Node {
	return func(t *testing.T) faulttest.Node {
		lps := lpstest.StartHTTPS(t, opts...)
		lps.Respond(reply)
		return faulttest.Node{Addr: lps.Addr(), CAs: []*x509.Certificate{lps.CA().Certificate()},
			Tokens: transport.StaticToken(testToken), Calls: func() int { return len(lps.Requests()) }}
	}
}

func healthy(t *testing.T, opts ...lpstest.Option) faulttest.Node {
	return service(lpstest.HTTPSReply{Body: document}, opts...)(t)
}

func status(code int) func(t *testing.T) faulttest.Node {
	return service(lpstest.HTTPSReply{Status: code, Body: "\n<h1>Who are you?</h1>"})
}

func reset(code http2.ErrCode) func(t *testing.T) faulttest.Node {
	return faulttest.Raw(faulttest.Actions(lpstest.ResetStream(code)))
}

func goAway(processed bool, then lpstest.Action) func(t *testing.T) faulttest.Node {
	return faulttest.Raw(faulttest.Actions(lpstest.InOrder(lpstest.GoAway(processed, http2.ErrCodeNo), then)))
}

// http1 is a proxy that selects HTTP/2 and speaks HTTP/1.1.
func http1(t *testing.T) faulttest.Node {
	peer := lpstest.StartHTTP1(t)
	n := faulttest.Trusting(t, peer.Addr())
	n.CAs = []*x509.Certificate{peer.CA().Certificate()}
	return n
}
