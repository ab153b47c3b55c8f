package grpc

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/fallback"
)

// setting is a node and the fault around it.
type setting struct {
	addr   string
	cas    []*x509.Certificate
	tokens transport.TokenSource
	opts   []Option
	// calls counts what reached a service: handler runs, or request streams.
	calls func() int
}

// fault is one row: what is wrong, and what has to be said of it.
type fault struct {
	set     func(t *testing.T) setting
	class   transport.Class
	reason  transport.Reason
	code    string
	cause   string // a piece of the attempt's error that a person can act on
	outcome bootpointer.Outcome
	calls   int
	// waits says that the fault takes the whole budget, because only time tells; tries, that it takes as much of it as
	// the pauses between tries leave.
	waits, tries bool
}

// faultBudget is the network's time in these tests. What waits for it takes no longer than that and faultMargin,
// which is generous because machines are busy.
const (
	faultBudget = 4 * time.Second
	faultMargin = 4 * time.Second
)

const (
	eligible      = transport.FallbackEligible
	authoritative = transport.Authoritative
	fellBack      = bootpointer.OutcomeCustomDataFallback
	failed        = bootpointer.OutcomeFailed
)

// faults is the table of docs/faults.md for what lies between the node and the service. The keys begin with the
// name of the case from the field.
func faults() map[string]fault {
	return map[string]fault{
		"T2 metadata answers 500":   {set: instance(imdstest.Status(500)), class: eligible, reason: "identity", cause: "500", outcome: fellBack, tries: true},
		"I1 metadata answers 400":   {set: instance(imdstest.Status(400)), class: eligible, reason: "identity", cause: "400", outcome: fellBack},
		"I1 metadata gone for ever": {set: instance(imdstest.Status(410)), class: eligible, reason: "identity", cause: "410", outcome: fellBack, tries: true},
		"I1 Retry-After an hour":    {set: instance(imdstest.RetryAfter(429, "3600")), class: eligible, reason: "identity", cause: "429", outcome: fellBack},
		"I1 Retry-After a date":     {set: instance(imdstest.RetryAfter(503, "Fri, 31 Dec 2999 23:59:59 GMT")), class: eligible, reason: "identity", cause: "503", outcome: fellBack},
		"I2 metadata never answers": {set: instance(imdstest.Reply{Hang: true}), class: eligible, reason: "identity", cause: "deadline", outcome: fellBack, waits: true},
		"I4 metadata redirects":     {set: instance(imdstest.Redirect("http://127.0.0.1:1/")), class: eligible, reason: "identity", cause: "302", outcome: fellBack},
		"I5 metadata is a web page": {set: instance(imdstest.HTML()), class: eligible, reason: "identity", outcome: fellBack},
		"I5 metadata without":       {set: instance(imdstest.JSON(`{}`)), class: eligible, reason: "identity", outcome: fellBack},
		"I5 metadata empty":         {set: instance(imdstest.JSON(`{"signature":""}`)), class: eligible, reason: "identity", outcome: fellBack},
		"I5 metadata truncated":     {set: instance(imdstest.Truncated()), class: eligible, reason: "identity", outcome: fellBack},
		"I5 metadata of 50 MiB":     {set: instance(imdstest.Oversized(50 << 20)), class: eligible, reason: "identity", outcome: fellBack},
		"I6 line break inside":      {set: instance(imdstest.JSON(`{"signature":"MIIK\nzAYJ"}`)), class: eligible, reason: "identity", outcome: fellBack},

		"T6 NXDOMAIN":            {set: dns(lpstest.DNSAnswer{RCode: dnsmessage.RCodeNameError}), class: eligible, reason: "dns", cause: "no such host", outcome: fellBack},
		"T6 SERVFAIL":            {set: dns(lpstest.DNSAnswer{RCode: dnsmessage.RCodeServerFailure}), class: eligible, reason: "dns", cause: "server misbehaving", outcome: fellBack},
		"T6 DNS never answers":   {set: dns(lpstest.DNSAnswer{Silent: true}), class: eligible, reason: "dns", cause: "timeout", outcome: fellBack, waits: true},
		"no address for a name":  {set: dns(lpstest.DNSAnswer{Addrs: []netip.Addr{}}), class: eligible, reason: "dns", outcome: fellBack},
		"connection refused":     {set: refused, class: eligible, reason: "connect", cause: "refused", outcome: fellBack},
		"packets swallowed":      {set: swallowed, class: eligible, reason: "connect", cause: "timeout", outcome: fellBack, waits: true},
		"T7 TCP, then silence":   {set: silent, class: eligible, reason: "deadline", cause: "does not answer the handshake", outcome: fellBack, waits: true},
		"T7 TLS, then silence":   {set: raw(nil, lpstest.WithoutSettings()), class: eligible, reason: "deadline", cause: "no HTTP/2 SETTINGS", outcome: fellBack, waits: true},
		"T7 SETTINGS, no reply":  {set: raw(actions(lpstest.Silence())), class: eligible, reason: "deadline", cause: "no reply", outcome: fellBack, calls: 1, waits: true},
		"hang up after accept":   {set: hangUp, class: eligible, reason: "connect", cause: "closed the connection in the handshake", outcome: fellBack},
		"hang up after request":  {set: raw(actions(lpstest.CloseConnection())), class: eligible, reason: "connect", cause: "EOF", outcome: fellBack, calls: 2},
		"plain HTTP/1 on TLS":    {set: http1, class: eligible, reason: "http-status", code: "502", cause: "Bad Gateway", outcome: fellBack},
		"T8 the API server":      {set: impostor, class: eligible, reason: "cert-name", cause: `certificate is for "` + frontHost + `", expected "` + DefaultServerName + `"`, outcome: fellBack},
		"T9 no intermediate":     {set: certificate(lpstest.WithIntermediateWithheld()), class: eligible, reason: "cert-untrusted", cause: "unknown authority", outcome: fellBack},
		"T9 common name only":    {set: certificate(lpstest.WithCommonNameOnly(DefaultServerName)), class: eligible, reason: "cert-name", cause: "common name", outcome: fellBack},
		"T9 for clients only":    {set: certificate(lpstest.WithEKUs(x509.ExtKeyUsageClientAuth)), class: eligible, reason: "cert-untrusted", cause: "usage", outcome: fellBack},
		"T9 wrong CA":            {set: wrongCA, class: eligible, reason: "cert-untrusted", cause: "unknown authority", outcome: fellBack},
		"T9 expired":             {set: certificate(lpstest.WithValidity(daysFromNow(-9), daysFromNow(-2))), class: eligible, reason: "cert-expired", cause: "expired", outcome: fellBack},
		"T9 not yet valid":       {set: certificate(lpstest.WithValidity(daysFromNow(2), daysFromNow(9))), class: eligible, reason: "cert-not-yet-valid", cause: "not yet valid", outcome: fellBack},
		"C3 no CA":               {set: noCA, class: eligible, reason: "config", cause: "CA", outcome: fellBack},
		"ALPN refused":           {set: protocols("http/1.1"), class: eligible, reason: "alpn", outcome: fellBack},
		"ALPN not selected":      {set: protocols(), class: eligible, reason: "alpn", cause: `selected protocol ""`, outcome: fellBack},
		"TLS too old":            {set: oldTLS, class: eligible, reason: "tls", cause: "version", outcome: fellBack},
		"T3 401 page":            {set: page(401), class: eligible, reason: "http-status", code: "401", cause: "<h1>Who are you?</h1>", outcome: fellBack, calls: 1},
		"T3 403 page":            {set: page(403), class: eligible, reason: "http-status", code: "403", cause: "403", outcome: fellBack, calls: 1},
		"T3 404 page":            {set: page(404), class: eligible, reason: "http-status", code: "404", cause: "404", outcome: fellBack, calls: 1},
		"T3 429 page":            {set: page(429), class: eligible, reason: "http-status", code: "429", cause: "429", outcome: fellBack, calls: 1},
		"T3 502 page":            {set: page(502), class: eligible, reason: "http-status", code: "502", cause: "502", outcome: fellBack, calls: 2},
		"T3 200 page":            {set: page(200), class: eligible, reason: "http-status", code: "200", cause: "text/html", outcome: fellBack, calls: 1},
		"T4 ENHANCE_YOUR_CALM":   {set: reset(http2.ErrCodeEnhanceYourCalm), class: eligible, reason: "connect", cause: "ENHANCE_YOUR_CALM", outcome: fellBack, calls: 1},
		"T4 FLOW_CONTROL_ERROR":  {set: reset(http2.ErrCodeFlowControl), class: eligible, reason: "connect", cause: "FLOW_CONTROL_ERROR", outcome: fellBack, calls: 1},
		"T4 INADEQUATE_SECURITY": {set: reset(http2.ErrCodeInadequateSecurity), class: eligible, reason: "connect", cause: "INADEQUATE_SECURITY", outcome: fellBack, calls: 1},
		"T4 CANCEL":              {set: reset(http2.ErrCodeCancel), class: eligible, reason: "connect", cause: "CANCEL", outcome: fellBack, calls: 1},
		"T4 REFUSED_STREAM":      {set: reset(http2.ErrCodeRefusedStream), class: eligible, reason: "connect", cause: "REFUSED_STREAM", outcome: fellBack, calls: 2},
		"T4 5 MiB":               {set: service(lpstest.Reply{Config: string(make([]byte, 5<<20))}), class: authoritative, reason: "malformed", cause: "larger than max", outcome: failed, calls: 1},
		"T5 GOAWAY, stream seen": {set: goAway(true), class: eligible, reason: "connect", outcome: fellBack, calls: 2},
		"T5 GOAWAY, not seen":    {set: goAway(false), class: eligible, reason: "connect", cause: "the connection", outcome: fellBack, calls: 2},

		"T11 ResourceExhausted": {set: service(lpstest.Reply{Code: codes.ResourceExhausted, Message: "slow down"}), class: authoritative, reason: "status", code: "ResourceExhausted", cause: "slow down", outcome: failed, calls: 1},
		"Unavailable, no words": {set: service(lpstest.Reply{Code: codes.Unavailable}), class: eligible, reason: "status", code: "Unavailable", cause: "without a message", outcome: fellBack, calls: 2},
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, f := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "packets swallowed" && runtime.GOOS != "linux" {
				t.Skip("needs an accept queue that can be filled")
			}
			s := f.set(t)
			opts := append([]Option{WithTarget(s.addr)}, s.opts...)
			if s.addr == "" {
				opts = s.opts
			}
			tr, err := New(transport.Endpoint{Host: frontHost, CAs: s.cas}, s.tokens, opts...)
			require.NoError(t, err)
			t.Cleanup(func() { tr.Close() })

			r := check(t, tr)

			first := r.Attempts[0]
			assert.Equal(t, f.class, first.Class, "%v", first.Err)
			assert.Equal(t, f.reason, first.Reason, "%v", first.Err)
			assert.Equal(t, f.code, first.Code, "%v", first.Err)
			require.ErrorContains(t, first.Err, f.cause)
			assert.NotContains(t, first.Err.Error(), "\n")
			assert.Equal(t, f.outcome, r.Outcome)
			assert.Equal(t, f.reason, r.Reason)
			assert.Equal(t, f.outcome == fellBack, r.Staged)
			assert.Equal(t, f.calls, s.calls())
			assert.Less(t, r.Duration, faultBudget+faultMargin)
			switch {
			case f.waits:
				assert.Greater(t, first.Duration, faultBudget/2)
			case !f.tries:
				assert.Less(t, first.Duration, faultBudget/2, "nothing is waited for")
			}
		})
	}
}

// check runs a Checker with tr and an embedded pointer.
func check(t *testing.T, tr transport.Transport) bootpointer.Result {
	t.Helper()
	stager, err := pointer.NewStager(filepath.Join(t.TempDir(), "pointer.json"))
	require.NoError(t, err)
	embedded, err := fallback.New(component, fallback.Bytes(document))
	require.NoError(t, err)
	checker, err := bootpointer.New([]transport.Step{{Name: "grpc", Transport: tr}}, stager, "202604.01.0",
		bootpointer.WithFallback(embedded), bootpointer.WithTimeout(faultBudget))
	require.NoError(t, err)
	return checker.Check(t.Context())
}

func none() int { return 0 }

func daysFromNow(days int) time.Time { return time.Now().AddDate(0, 0, days) }

// instance is a healthy service, and a metadata service that answers with reply.
func instance(reply imdstest.Reply) func(t *testing.T) setting {
	return func(t *testing.T) setting {
		s := service(lpstest.Reply{Config: document})(t)
		fake := imdstest.Start(t)
		fake.Respond(reply)
		tokens, err := imds.New(imds.WithEndpoint(fake.URL()))
		require.NoError(t, err)
		s.tokens = tokens
		return s
	}
}

// service is a service that answers with reply.
func service(reply lpstest.Reply, opts ...lpstest.Option) func(t *testing.T) setting {
	return func(t *testing.T) setting {
		lps := lpstest.Start(t, opts...)
		lps.Respond(reply)
		return setting{addr: lps.Addr(), cas: []*x509.Certificate{lps.CA().Certificate()}, tokens: fixedToken(testToken),
			calls: func() int { return len(lps.Calls()) }}
	}
}

// trusting is a setting with some CA, for peers that do not get as far as TLS.
func trusting(t *testing.T, addr string) setting {
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	return setting{addr: addr, cas: []*x509.Certificate{ca.Certificate()}, tokens: fixedToken(testToken), calls: none}
}

// dns is a front whose name resolves to answer.
func dns(answer lpstest.DNSAnswer) func(t *testing.T) setting {
	return func(t *testing.T) setting {
		s := trusting(t, "")
		dialer := &net.Dialer{Resolver: lpstest.StartDNS(t, answer).Resolver()}
		s.opts = []Option{WithDialer(func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, frontHost+".:443") // the dot keeps search lists out
		})}
		return s
	}
}

func refused(t *testing.T) setting   { return trusting(t, lpstest.StartRefusing(t).Addr()) }
func swallowed(t *testing.T) setting { return trusting(t, lpstest.StartSwallowing(t).Addr()) }
func silent(t *testing.T) setting    { return trusting(t, lpstest.StartSilent(t).Addr()) }
func hangUp(t *testing.T) setting    { return trusting(t, lpstest.StartHangup(t).Addr()) }

func actions(a ...lpstest.Action) []lpstest.Action { return a }

// raw is a peer that answers with frames.
func raw(script []lpstest.Action, opts ...lpstest.Option) func(t *testing.T) setting {
	return func(t *testing.T) setting {
		peer := lpstest.StartRawHTTP2(t, opts...)
		peer.Respond(script...)
		return setting{addr: peer.Addr(), cas: []*x509.Certificate{peer.CA().Certificate()}, tokens: fixedToken(testToken),
			calls: func() int { return len(peer.Requests()) }}
	}
}

func page(status int) func(t *testing.T) setting {
	return raw(actions(lpstest.HTTPStatus(status, "text/html", "<html>\n<h1>Who are you?</h1>")))
}

func reset(code http2.ErrCode) func(t *testing.T) setting {
	return raw(actions(lpstest.ResetStream(code)))
}

func goAway(processed bool) func(t *testing.T) setting {
	return raw(actions(lpstest.InOrder(lpstest.GoAway(processed, http2.ErrCodeNo), lpstest.CloseConnection())))
}

func http1(t *testing.T) setting {
	peer := lpstest.StartHTTP1(t)
	s := trusting(t, peer.Addr())
	s.cas = []*x509.Certificate{peer.CA().Certificate()}
	return s
}

func impostor(t *testing.T) setting {
	peer := lpstest.StartImpostor(t, frontHost)
	s := trusting(t, peer.Addr())
	s.cas = []*x509.Certificate{peer.CA().Certificate()}
	s.calls = func() int { return len(peer.Requests()) }
	return s
}

// certificate is a service with a certificate made to opts.
func certificate(opts ...lpstest.CertOption) func(t *testing.T) setting {
	return func(t *testing.T) setting {
		ca, err := lpstest.NewCA()
		require.NoError(t, err)
		cert, err := ca.Issue(opts...)
		require.NoError(t, err)
		return service(lpstest.Reply{Config: document}, lpstest.WithCA(ca), lpstest.WithCertificate(cert))(t)
	}
}

func wrongCA(t *testing.T) setting {
	s := service(lpstest.Reply{Config: document})(t)
	s.cas = trusting(t, "").cas
	return s
}

func noCA(t *testing.T) setting {
	s := service(lpstest.Reply{Config: document})(t)
	s.cas = nil
	return s
}

func protocols(protos ...string) func(t *testing.T) setting {
	return service(lpstest.Reply{Config: document}, lpstest.WithALPN(protos...))
}

func oldTLS(t *testing.T) setting {
	return service(lpstest.Reply{Config: document}, lpstest.WithTLSVersions(0x0301, 0x0302))(t)
}
