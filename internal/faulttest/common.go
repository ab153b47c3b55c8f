package faulttest

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/http2"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
)

// swallowedName is the fault that needs Linux.
const swallowedName = "packets swallowed"

// Service starts a healthy service of the kind that a transport talks to, and returns the node around it.
type Service func(t *testing.T, opts ...lpstest.Option) Node

// Common are the faults below the protocol: identity, config, DNS, TCP, TLS. The keys begin with the name of the case
// from the field.
func Common(service Service) map[string]Fault {
	return map[string]Fault{
		"T2 metadata answers 500":   {Set: instance(service, imdstest.Status(500)), Class: Eligible, Reason: "identity", Cause: "500", Outcome: FellBack, Tries: true},
		"I1 metadata answers 400":   {Set: instance(service, imdstest.Status(400)), Class: Eligible, Reason: "identity", Cause: "400", Outcome: FellBack},
		"I1 metadata gone for ever": {Set: instance(service, imdstest.Status(410)), Class: Eligible, Reason: "identity", Cause: "410", Outcome: FellBack, Tries: true},
		"I1 Retry-After an hour":    {Set: instance(service, imdstest.RetryAfter(429, "3600")), Class: Eligible, Reason: "identity", Cause: "429", Outcome: FellBack},
		"I1 Retry-After a date":     {Set: instance(service, imdstest.RetryAfter(503, "Fri, 31 Dec 2999 23:59:59 GMT")), Class: Eligible, Reason: "identity", Cause: "503", Outcome: FellBack},
		"I2 metadata never answers": {Set: instance(service, imdstest.Reply{Hang: true}), Class: Eligible, Reason: "identity", Cause: "deadline", Outcome: FellBack, Waits: true},
		"I4 metadata redirects":     {Set: instance(service, imdstest.Redirect("http://127.0.0.1:1/")), Class: Eligible, Reason: "identity", Cause: "302", Outcome: FellBack},
		"I5 metadata is a web page": {Set: instance(service, imdstest.HTML()), Class: Eligible, Reason: "identity", Outcome: FellBack},
		"I5 metadata without":       {Set: instance(service, imdstest.JSON(`{}`)), Class: Eligible, Reason: "identity", Outcome: FellBack},
		"I5 metadata empty":         {Set: instance(service, imdstest.JSON(`{"signature":""}`)), Class: Eligible, Reason: "identity", Outcome: FellBack},
		"I5 metadata truncated":     {Set: instance(service, imdstest.Truncated()), Class: Eligible, Reason: "identity", Outcome: FellBack},
		"I5 metadata of 50 MiB":     {Set: instance(service, imdstest.Oversized(50<<20)), Class: Eligible, Reason: "identity", Outcome: FellBack},
		"I6 line break inside":      {Set: instance(service, imdstest.JSON(`{"signature":"MIIK\nzAYJ"}`)), Class: Eligible, Reason: "identity", Outcome: FellBack},

		"C3 no CA":              {Set: noCA(service), Class: Eligible, Reason: "config", Cause: "CA", Outcome: FellBack},
		"T6 NXDOMAIN":           {Set: dns(lpstest.DNSAnswer{RCode: dnsmessage.RCodeNameError}), Class: Eligible, Reason: "dns", Cause: "no such host", Outcome: FellBack},
		"T6 SERVFAIL":           {Set: dns(lpstest.DNSAnswer{RCode: dnsmessage.RCodeServerFailure}), Class: Eligible, Reason: "dns", Cause: "server misbehaving", Outcome: FellBack},
		"T6 DNS never answers":  {Set: dns(lpstest.DNSAnswer{Silent: true}), Class: Eligible, Reason: "dns", Cause: "timeout", Outcome: FellBack, Waits: true},
		"no address for a name": {Set: dns(lpstest.DNSAnswer{Addrs: []netip.Addr{}}), Class: Eligible, Reason: "dns", Outcome: FellBack},
		"connection refused":    {Set: refused, Class: Eligible, Reason: "connect", Cause: "refused", Outcome: FellBack},
		swallowedName:           {Set: swallowed, Class: Eligible, Reason: "connect", Cause: "timeout", Outcome: FellBack, Waits: true},

		"T7 TCP, then silence": {Set: silent, Class: Eligible, Reason: "deadline", Cause: "does not answer the handshake", Outcome: FellBack, Waits: true},
		"hang up after accept": {Set: hangUp, Class: Eligible, Reason: "connect", Cause: "closed the connection in the handshake", Outcome: FellBack},
		"T8 the API server":    {Set: impostor, Class: Eligible, Reason: "cert-name", Cause: `certificate is for "` + FrontHost + `", expected "` + lpstest.ServerName + `"`, Outcome: FellBack},
		"T9 no intermediate":   {Set: certificate(service, lpstest.WithIntermediateWithheld()), Class: Eligible, Reason: "cert-untrusted", Cause: "unknown authority", Outcome: FellBack},
		"T9 common name only":  {Set: certificate(service, lpstest.WithCommonNameOnly(lpstest.ServerName)), Class: Eligible, Reason: "cert-name", Cause: "common name", Outcome: FellBack},
		"T9 for clients only":  {Set: certificate(service, lpstest.WithEKUs(x509.ExtKeyUsageClientAuth)), Class: Eligible, Reason: "cert-untrusted", Cause: "usage", Outcome: FellBack},
		"T9 wrong CA":          {Set: wrongCA(service), Class: Eligible, Reason: "cert-untrusted", Cause: "unknown authority", Outcome: FellBack},
		"T9 expired":           {Set: certificate(service, lpstest.WithValidity(daysFromNow(-9), daysFromNow(-2))), Class: Eligible, Reason: "cert-expired", Cause: "expired", Outcome: FellBack},
		"T9 not yet valid":     {Set: certificate(service, lpstest.WithValidity(daysFromNow(2), daysFromNow(9))), Class: Eligible, Reason: "cert-not-yet-valid", Cause: "not yet valid", Outcome: FellBack},
		"ALPN refused":         {Set: With(service, lpstest.WithALPN("spdy/3")), Class: Eligible, Reason: "alpn", Outcome: FellBack},
		"TLS too old":          {Set: With(service, lpstest.WithTLSVersions(0x0301, 0x0302)), Class: Eligible, Reason: "tls", Cause: "version", Outcome: FellBack},
	}
}

func none() int { return 0 }

func daysFromNow(days int) time.Time { return time.Now().AddDate(0, 0, days) }

// With is a service with options.
func With(service Service, opts ...lpstest.Option) func(t *testing.T) Node {
	return func(t *testing.T) Node { return service(t, opts...) }
}

// instance is a healthy service, and a metadata service that answers with reply.
func instance(service Service, reply imdstest.Reply) func(t *testing.T) Node {
	return func(t *testing.T) Node {
		n := service(t)
		fake := imdstest.Start(t)
		fake.Respond(reply)
		tokens, err := imds.New(imds.WithEndpoint(fake.URL()))
		require.NoError(t, err)
		n.Tokens = tokens
		return n
	}
}

// Trusting is a node that trusts some CA, for peers that do not get as far as TLS.
func Trusting(t *testing.T, addr string) Node {
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	return Node{Addr: addr, CAs: []*x509.Certificate{ca.Certificate()}, Tokens: transport.StaticToken(Token), Calls: none}
}

// dns is a front whose name resolves to answer.
func dns(answer lpstest.DNSAnswer) func(t *testing.T) Node {
	return func(t *testing.T) Node {
		n := Trusting(t, "")
		n.Resolver = lpstest.StartDNS(t, answer).Resolver()
		dialer := &net.Dialer{Resolver: n.Resolver}
		n.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, FrontHost+".:443") // the dot keeps search lists out
		}
		return n
	}
}

func refused(t *testing.T) Node   { return Trusting(t, lpstest.StartRefusing(t).Addr()) }
func swallowed(t *testing.T) Node { return Trusting(t, lpstest.StartSwallowing(t).Addr()) }
func silent(t *testing.T) Node    { return Trusting(t, lpstest.StartSilent(t).Addr()) }
func hangUp(t *testing.T) Node    { return Trusting(t, lpstest.StartHangup(t).Addr()) }

// Raw is a peer that answers with frames.
func Raw(script []lpstest.Action, opts ...lpstest.Option) func(t *testing.T) Node {
	return func(t *testing.T) Node {
		peer := lpstest.StartRawHTTP2(t, opts...)
		peer.Respond(script...)
		return Node{Addr: peer.Addr(), CAs: []*x509.Certificate{peer.CA().Certificate()}, Tokens: transport.StaticToken(Token),
			Calls: func() int { return len(peer.Requests()) }}
	}
}

// Actions is a script.
func Actions(a ...lpstest.Action) []lpstest.Action { return a }

func impostor(t *testing.T) Node {
	peer := lpstest.StartImpostor(t, FrontHost)
	n := Trusting(t, peer.Addr())
	n.CAs = []*x509.Certificate{peer.CA().Certificate()}
	n.Calls = func() int { return len(peer.Requests()) }
	return n
}

// certificate is a service with a certificate made to opts.
func certificate(service Service, opts ...lpstest.CertOption) func(t *testing.T) Node {
	return func(t *testing.T) Node {
		ca, err := lpstest.NewCA()
		require.NoError(t, err)
		cert, err := ca.Issue(opts...)
		require.NoError(t, err)
		return service(t, lpstest.WithCA(ca), lpstest.WithCertificate(cert))
	}
}

func wrongCA(service Service) func(t *testing.T) Node {
	return func(t *testing.T) Node {
		n := service(t)
		n.CAs = Trusting(t, "").CAs
		return n
	}
}

func noCA(service Service) func(t *testing.T) Node {
	return func(t *testing.T) Node {
		n := service(t)
		n.CAs = nil
		return n
	}
}

// reset is a peer that ends each stream with an error.
func reset(code http2.ErrCode) func(t *testing.T) Node {
	return Raw(Actions(lpstest.ResetStream(code)))
}

// goAway is a peer that takes leave, and then does another thing.
func goAway(processed bool, then lpstest.Action) func(t *testing.T) Node {
	return Raw(Actions(lpstest.InOrder(lpstest.GoAway(processed, http2.ErrCodeNo), then)))
}

// http1 is a proxy that selects HTTP/2 and speaks HTTP/1.1.
func http1(t *testing.T) Node {
	peer := lpstest.StartHTTP1(t)
	n := Trusting(t, peer.Addr())
	n.CAs = []*x509.Certificate{peer.CA().Certificate()}
	return n
}
