package faulttest

import (
	"crypto/x509"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// HTTPS is the table of docs/faults.md for HTTPS, [Common] not included. The keys begin with the name of the case from the
// field.
func HTTPS() map[string]Fault {
	return map[string]Fault{
		"T3 401":                 {Set: httpsStatus(401), Class: Benign, Reason: "status", Code: "401", Cause: "Unauthorized: <h1>Who are you?</h1>", Outcome: Nothing, Calls: 1},
		"T3 403":                 {Set: httpsStatus(403), Class: Benign, Reason: "status", Code: "403", Cause: "Forbidden", Outcome: Nothing, Calls: 1},
		"T3 404":                 {Set: httpsStatus(404), Class: Benign, Reason: "status", Code: "404", Cause: "Not Found", Outcome: Nothing, Calls: 1},
		"400":                    {Set: httpsStatus(400), Class: Authoritative, Reason: "status", Code: "400", Cause: "Bad Request", Outcome: Failed, Calls: 1},
		"T3 429":                 {Set: httpsStatus(429), Class: Authoritative, Reason: "status", Code: "429", Cause: "Too Many Requests", Outcome: Failed, Calls: 1},
		"I4 302":                 {Set: httpsService(lpstest.HTTPSRedirect("https://192.0.2.1/")), Class: Eligible, Reason: "http-status", Code: "302", Cause: "not followed to https://192.0.2.1/", Outcome: FellBack, Calls: 1},
		"500":                    {Set: httpsStatus(500), Class: Eligible, Reason: "http-status", Code: "500", Cause: "Internal Server Error", Outcome: FellBack, Calls: 1},
		"T3 502":                 {Set: httpsStatus(502), Class: Eligible, Reason: "http-status", Code: "502", Cause: "Bad Gateway", Outcome: FellBack, Calls: 2},
		"T11 503":                {Set: httpsStatus(503), Class: Eligible, Reason: "http-status", Code: "503", Cause: "Service Unavailable", Outcome: FellBack, Calls: 2},
		"503, Retry-After":       {Set: httpsService(lpstest.HTTPSReply{Status: 503, Header: http.Header{"Retry-After": {"3600"}}}), Class: Eligible, Reason: "http-status", Code: "503", Outcome: FellBack, Calls: 1},
		"504":                    {Set: httpsStatus(504), Class: Eligible, Reason: "http-status", Code: "504", Cause: "Gateway Timeout", Outcome: FellBack, Calls: 2},
		"204":                    {Set: httpsService(lpstest.HTTPSReply{Status: 204}), Class: Eligible, Reason: "http-status", Code: "204", Cause: "No Content", Outcome: FellBack, Calls: 1},
		"P4 no body":             {Set: httpsService(lpstest.HTTPSReply{}), Class: Benign, Reason: "empty", Code: "200", Outcome: Nothing, Calls: 1},
		"P4 no hotfixes":         {Set: httpsService(lpstest.HTTPSReply{Body: "{}"}), Class: Benign, Reason: "empty", Code: "200", Outcome: Nothing, Calls: 1},
		"T3 200 page":            {Set: httpsService(lpstest.HTTPSReply{Body: "<html>"}), Class: Authoritative, Reason: "malformed", Code: "200", Outcome: Failed, Calls: 1},
		"T4 5 MiB":               {Set: httpsService(lpstest.HTTPSReply{Body: strings.Repeat("x", 5<<20)}), Class: Authoritative, Reason: "malformed", Code: "200", Cause: "1048576", Outcome: Failed, Calls: 1},
		"header of 100 KiB":      {Set: httpsService(lpstest.HTTPSReply{Header: http.Header{"X": {strings.Repeat("x", 100<<10)}}}, lpstest.WithALPN("http/1.1")), Class: Eligible, Reason: "connect", Cause: "header", Outcome: FellBack, Calls: 1},
		"T7 TLS, then silence":   {Set: Raw(nil, lpstest.WithoutSettings()), Class: Eligible, Reason: "deadline", Cause: "no whole answer", Outcome: FellBack, Calls: 1, Waits: true},
		"T7 no answer":           {Set: httpsService(lpstest.HTTPSReply{Hang: true}), Class: Eligible, Reason: "deadline", Cause: "no whole answer", Outcome: FellBack, Calls: 1, Waits: true},
		"T7 half an answer":      {Set: httpsService(lpstest.HTTPSReply{Stall: true, Body: Document}), Class: Eligible, Reason: "deadline", Cause: "no whole answer", Outcome: FellBack, Calls: 1, Waits: true},
		"hang up in an answer":   {Set: httpsService(lpstest.HTTPSReply{Cut: true, Body: Document}), Class: Eligible, Reason: "connect", Outcome: FellBack, Calls: 2},
		"reset after request":    {Set: httpsService(lpstest.HTTPSReply{Reset: true}, lpstest.WithALPN("http/1.1")), Class: Eligible, Reason: "connect", Cause: "reset", Outcome: FellBack, Calls: 2},
		"hang up after request":  {Set: Raw(Actions(lpstest.CloseConnection())), Class: Eligible, Reason: "connect", Cause: "EOF", Outcome: FellBack, Calls: 2},
		"HTTP/1 for HTTP/2":      {Set: http1, Class: Eligible, Reason: "http-status", Code: "502", Cause: "Bad Gateway", Outcome: FellBack},
		"T4 ENHANCE_YOUR_CALM":   {Set: reset(http2.ErrCodeEnhanceYourCalm), Class: Eligible, Reason: "connect", Cause: "ENHANCE_YOUR_CALM", Outcome: FellBack, Calls: 1},
		"T4 FLOW_CONTROL_ERROR":  {Set: reset(http2.ErrCodeFlowControl), Class: Eligible, Reason: "connect", Cause: "FLOW_CONTROL_ERROR", Outcome: FellBack, Calls: 1},
		"T4 INADEQUATE_SECURITY": {Set: reset(http2.ErrCodeInadequateSecurity), Class: Eligible, Reason: "connect", Cause: "INADEQUATE_SECURITY", Outcome: FellBack, Calls: 1},
		"T4 CANCEL":              {Set: reset(http2.ErrCodeCancel), Class: Eligible, Reason: "connect", Cause: "CANCEL", Outcome: FellBack, Calls: 1},
		"T4 REFUSED_STREAM":      {Set: reset(http2.ErrCodeRefusedStream), Class: Eligible, Reason: "connect", Cause: "REFUSED_STREAM", Outcome: FellBack, Calls: 1},
		"T5 GOAWAY, stream seen": {Set: goAway(true, lpstest.CloseConnection()), Class: Eligible, Reason: "connect", Cause: "GOAWAY", Outcome: FellBack, Calls: 2},
		"T5 GOAWAY, not seen":    {Set: goAway(false, lpstest.Silence()), Class: Eligible, Reason: "connect", Cause: "GOAWAY", Outcome: FellBack, Calls: 2},
	}
}

// HealthyHTTPS is a service over HTTPS that has [Document].
func HealthyHTTPS(t *testing.T, opts ...lpstest.Option) Node {
	return httpsService(lpstest.HTTPSReply{Body: Document}, opts...)(t)
}

// httpsService is a service that answers with reply.
func httpsService(reply lpstest.HTTPSReply, opts ...lpstest.Option) func(t *testing.T) Node {
	return func(t *testing.T) Node {
		lps := lpstest.StartHTTPS(t, opts...)
		lps.Respond(reply)
		return Node{Addr: lps.Addr(), CAs: []*x509.Certificate{lps.CA().Certificate()},
			Tokens: transport.StaticToken(Token), Calls: func() int { return len(lps.Requests()) }}
	}
}

func httpsStatus(code int) func(t *testing.T) Node {
	return httpsService(lpstest.HTTPSReply{Status: code, Body: "\n<h1>Who are you?</h1>"})
}
