package faulttest

import (
	"crypto/x509"
	"maps"
	"testing"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// GRPC is the table of docs/faults.md for what lies between the node and the service over gRPC, [Common] included. The
// keys begin with the name of the case from the field.
func GRPC() map[string]Fault {
	all := map[string]Fault{
		"T7 TLS, then silence":   {Set: Raw(nil, lpstest.WithoutSettings()), Class: Eligible, Reason: "deadline", Cause: "no HTTP/2 SETTINGS", Outcome: FellBack, Waits: true},
		"T7 SETTINGS, no reply":  {Set: Raw(Actions(lpstest.Silence())), Class: Eligible, Reason: "deadline", Cause: "no reply", Outcome: FellBack, Calls: 1, Waits: true},
		"hang up after request":  {Set: Raw(Actions(lpstest.CloseConnection())), Class: Eligible, Reason: "connect", Cause: "EOF", Outcome: FellBack, Calls: 2},
		"plain HTTP/1 on TLS":    {Set: http1, Class: Eligible, Reason: "http-status", Code: "502", Cause: "Bad Gateway", Outcome: FellBack},
		"ALPN not selected":      {Set: With(HealthyGRPC, lpstest.WithALPN()), Class: Eligible, Reason: "alpn", Cause: `selected protocol ""`, Outcome: FellBack},
		"T3 401 page":            {Set: page(401), Class: Eligible, Reason: "http-status", Code: "401", Cause: "<h1>Who are you?</h1>", Outcome: FellBack, Calls: 1},
		"T3 403 page":            {Set: page(403), Class: Eligible, Reason: "http-status", Code: "403", Cause: "403", Outcome: FellBack, Calls: 1},
		"T3 404 page":            {Set: page(404), Class: Eligible, Reason: "http-status", Code: "404", Cause: "404", Outcome: FellBack, Calls: 1},
		"T3 429 page":            {Set: page(429), Class: Eligible, Reason: "http-status", Code: "429", Cause: "429", Outcome: FellBack, Calls: 1},
		"T3 502 page":            {Set: page(502), Class: Eligible, Reason: "http-status", Code: "502", Cause: "502", Outcome: FellBack, Calls: 2},
		"T3 200 page":            {Set: page(200), Class: Eligible, Reason: "http-status", Code: "200", Cause: "text/html", Outcome: FellBack, Calls: 1},
		"T4 ENHANCE_YOUR_CALM":   {Set: reset(http2.ErrCodeEnhanceYourCalm), Class: Eligible, Reason: "connect", Cause: "ENHANCE_YOUR_CALM", Outcome: FellBack, Calls: 1},
		"T4 FLOW_CONTROL_ERROR":  {Set: reset(http2.ErrCodeFlowControl), Class: Eligible, Reason: "connect", Cause: "FLOW_CONTROL_ERROR", Outcome: FellBack, Calls: 1},
		"T4 INADEQUATE_SECURITY": {Set: reset(http2.ErrCodeInadequateSecurity), Class: Eligible, Reason: "connect", Cause: "INADEQUATE_SECURITY", Outcome: FellBack, Calls: 1},
		"T4 CANCEL":              {Set: reset(http2.ErrCodeCancel), Class: Eligible, Reason: "connect", Cause: "CANCEL", Outcome: FellBack, Calls: 1},
		"T4 REFUSED_STREAM":      {Set: reset(http2.ErrCodeRefusedStream), Class: Eligible, Reason: "connect", Cause: "REFUSED_STREAM", Outcome: FellBack, Calls: 2},
		"T4 5 MiB":               {Set: grpcService(lpstest.Reply{Config: string(make([]byte, 5<<20))}), Class: Authoritative, Reason: "malformed", Cause: "larger than max", Outcome: Failed, Calls: 1},
		"T5 GOAWAY, stream seen": {Set: goAway(true, lpstest.CloseConnection()), Class: Eligible, Reason: "connect", Outcome: FellBack, Calls: 2},
		"T5 GOAWAY, not seen":    {Set: goAway(false, lpstest.CloseConnection()), Class: Eligible, Reason: "connect", Cause: "the connection", Outcome: FellBack, Calls: 2},
		"T11 ResourceExhausted":  {Set: grpcService(lpstest.Reply{Code: codes.ResourceExhausted, Message: "slow down"}), Class: Authoritative, Reason: "status", Code: "ResourceExhausted", Cause: "slow down", Outcome: Failed, Calls: 1},
		"Unavailable, no words":  {Set: grpcService(lpstest.Reply{Code: codes.Unavailable}), Class: Eligible, Reason: "status", Code: "Unavailable", Cause: "without a message", Outcome: FellBack, Calls: 2},
	}
	maps.Copy(all, Common(HealthyGRPC))
	return all
}

// HealthyGRPC is a service over gRPC that has [Document].
func HealthyGRPC(t *testing.T, opts ...lpstest.Option) Node {
	return grpcService(lpstest.Reply{Config: Document}, opts...)(t)
}

// grpcService is a service that answers with reply.
func grpcService(reply lpstest.Reply, opts ...lpstest.Option) func(t *testing.T) Node {
	return func(t *testing.T) Node {
		lps := lpstest.Start(t, opts...)
		lps.Respond(reply)
		return Node{Addr: lps.Addr(), CAs: []*x509.Certificate{lps.CA().Certificate()},
			Tokens: transport.StaticToken(Token), Calls: func() int { return len(lps.Calls()) }}
	}
}

func page(status int) func(t *testing.T) Node {
	return Raw(Actions(lpstest.HTTPStatus(status, "text/html", "<html>\n<h1>Who are you?</h1>")))
}
