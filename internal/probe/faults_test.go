package probe_test

import (
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/internal/probe"
)

// found is what the probe has to say of a fault: in which layer it is, and a piece of the sentence.
type found struct{ layer, says string }

const (
	aProxyAnswers   = "A web page or proxy answers in the service's place"
	noVerdict       = "came instead of a verdict"
	breaks          = "The connection is verified, and breaks before the answer"
	noAnswerInTime  = "The connection is verified, and no answer comes in time"
	noDocumentThere = "sends no usable attested document"
	wellNothing     = "All is well: the service answered, and nothing is published"
	notAccepted     = "it does not accept this node's identity"
)

// commonFindings are those of the faults below the protocol.
func commonFindings() map[string]found {
	return map[string]found{
		"T2 metadata answers 500":   {"metadata", "does not do its work at the moment"},
		"I1 metadata answers 400":   {"metadata", "refuses the request"},
		"I1 metadata gone for ever": {"metadata", "does not do its work at the moment"},
		"I1 Retry-After an hour":    {"metadata", "limits this node's requests"},
		"I1 Retry-After a date":     {"metadata", "does not do its work at the moment"},
		"I2 metadata never answers": {"metadata", "does not answer in the time"},
		"I4 metadata redirects":     {"metadata", "Something else than the metadata service answers"},
		"I5 metadata is a web page": {"metadata", noDocumentThere},
		"I5 metadata without":       {"metadata", noDocumentThere},
		"I5 metadata empty":         {"metadata", noDocumentThere},
		"I5 metadata truncated":     {"metadata", noDocumentThere},
		"I5 metadata of 50 MiB":     {"metadata", noDocumentThere},
		"I6 line break inside":      {"metadata", noDocumentThere},

		"C3 no CA":              {"ca", "has no usable CA certificate"},
		"T6 NXDOMAIN":           {"dns", "does not exist in DNS"},
		"T6 SERVFAIL":           {"dns", "The name server cannot resolve"},
		"T6 DNS never answers":  {"dns", "No name server answers"},
		"no address for a name": {"dns", "does not exist in DNS"},
		"connection refused":    {"tcp", "refuses connections"},
		"packets swallowed":     {"tcp", "packets to the API server's front are swallowed"},

		"T7 TCP, then silence": {"tls", "silent in the TLS handshake"},
		"hang up after accept": {"tls", "closes the connection in the TLS handshake"},
		"T8 the API server":    {"tls", "The front answers with the API server's own certificate"},
		"T9 no intermediate":   {"tls", "does not lead to the cluster's CA"},
		"T9 common name only":  {"tls", "has no names in it"},
		"T9 for clients only":  {"tls", "not meant for servers"},
		"T9 wrong CA":          {"tls", "a CA with the right name and another key"},
		"T9 expired":           {"tls", "The service's certificate has expired"},
		"T9 not yet valid":     {"tls", "The service's certificate is not valid yet"},
		"ALPN refused":         {"alpn", "refuses every protocol"},
		"TLS too old":          {"tls", "fails before it shows a certificate"},
	}
}

func grpcFindings() map[string]found {
	all := map[string]found{
		"ALPN not selected":      {"alpn", "no protocol was selected"},
		"T7 TLS, then silence":   {"call", noAnswerInTime},
		"T7 SETTINGS, no reply":  {"call", noAnswerInTime},
		"hang up after request":  {"call", breaks},
		"plain HTTP/1 on TLS":    {"call", aProxyAnswers},
		"T3 401 page":            {"call", aProxyAnswers},
		"T3 403 page":            {"call", aProxyAnswers},
		"T3 404 page":            {"call", aProxyAnswers},
		"T3 429 page":            {"call", aProxyAnswers},
		"T3 502 page":            {"call", aProxyAnswers},
		"T3 200 page":            {"call", aProxyAnswers},
		"T4 ENHANCE_YOUR_CALM":   {"call", breaks},
		"T4 FLOW_CONTROL_ERROR":  {"call", breaks},
		"T4 INADEQUATE_SECURITY": {"call", breaks},
		"T4 CANCEL":              {"call", breaks},
		"T4 REFUSED_STREAM":      {"call", breaks},
		"T4 5 MiB":               {"pointer", "what it sent cannot be used"},
		"T5 GOAWAY, stream seen": {"call", breaks},
		"T5 GOAWAY, not seen":    {"call", breaks},
		"T11 ResourceExhausted":  {"call", "refuses the request (ResourceExhausted)"},
		"Unavailable, no words":  {"call", "The service itself answers Unavailable"},
	}
	maps.Copy(all, commonFindings())
	return all
}

func httpsFindings() map[string]found {
	return map[string]found{
		"T3 401":                 {"", notAccepted},
		"T3 403":                 {"", notAccepted},
		"T3 404":                 {"", wellNothing},
		"400":                    {"call", "refuses the request (400)"},
		"T3 429":                 {"call", "refuses the request (429)"},
		"I4 302":                 {"call", noVerdict},
		"500":                    {"call", noVerdict},
		"T3 502":                 {"call", noVerdict},
		"T11 503":                {"call", noVerdict},
		"503, Retry-After":       {"call", noVerdict},
		"504":                    {"call", noVerdict},
		"204":                    {"call", noVerdict},
		"P4 no body":             {"", wellNothing},
		"P4 no hotfixes":         {"", wellNothing},
		"T3 200 page":            {"pointer", "what it sent cannot be used"},
		"T4 5 MiB":               {"pointer", "what it sent cannot be used"},
		"header of 100 KiB":      {"call", breaks},
		"T7 TLS, then silence":   {"call", noAnswerInTime},
		"T7 no answer":           {"call", noAnswerInTime},
		"T7 half an answer":      {"call", noAnswerInTime},
		"hang up in an answer":   {"call", breaks},
		"reset after request":    {"call", breaks},
		"hang up after request":  {"call", breaks},
		"HTTP/1 for HTTP/2":      {"call", noVerdict},
		"T4 ENHANCE_YOUR_CALM":   {"call", breaks},
		"T4 FLOW_CONTROL_ERROR":  {"call", breaks},
		"T4 INADEQUATE_SECURITY": {"call", breaks},
		"T4 CANCEL":              {"call", breaks},
		"T4 REFUSED_STREAM":      {"call", breaks},
		"T5 GOAWAY, stream seen": {"call", breaks},
		"T5 GOAWAY, not seen":    {"call", breaks},
	}
}

// Every fault of docs/faults.md is found in the right layer, with class, reason and code of the check, and said in the
// right sentence.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, table := range []struct {
		transport string
		faults    map[string]faulttest.Fault
		want      map[string]found
	}{
		{"grpc", faulttest.GRPC(), grpcFindings()},
		{"https", faulttest.HTTPS(), httpsFindings()},
		{"https", faulttest.Common(faulttest.HealthyHTTPS), commonFindings()},
	} {
		assert.ElementsMatch(t, slices.Collect(maps.Keys(table.faults)), slices.Collect(maps.Keys(table.want)))
		for name, fault := range table.faults {
			t.Run(table.transport+" "+name, func(t *testing.T) {
				t.Parallel()
				testFault(t, table.transport, fault, table.want[name])
			})
		}
	}
}

func testFault(t *testing.T, transportName string, fault faulttest.Fault, want found) {
	if runtime.GOOS != "linux" && want.says == commonFindings()["packets swallowed"].says {
		t.Skip("needs an accept queue that can be filled")
	}
	n := fault.Set(t)
	c := newConfig(t, n, transportName)
	if fault.Waits || fault.Tries {
		c.Timeout = hasty
	}

	r := probe.Run(t.Context(), c)

	assert.Equal(t, want.layer, r.Diagnosis.Layer, "%+v", r)
	assert.Contains(t, r.Diagnosis.Sentence, want.says)
	assert.NotEmpty(t, r.Diagnosis.Next)
	assert.NotRegexp(t, `[{](why|code|dial|dialled|sni|name|metadata|config|file|current|resolved)[}]`, r.Diagnosis.Sentence+r.Diagnosis.Next)
	assert.Equal(t, fault.Outcome == bootpointer.OutcomeNoHotfixAvailable, r.Healthy)
	assertVerdict(t, r, fault)
	for _, l := range r.Layers {
		assert.NotEmpty(t, l.Result, l.Name)
		if l.Status == probe.Failed {
			assert.Equal(t, r.Diagnosis.Layer, l.Name, "nothing else is wrong: %s", l.Result)
		}
	}
	assertSchema(t, r)
	assert.NotContains(t, assertInert(t, r), faulttest.Token)
	assert.Less(t, r.Duration, probe.Limit(c.Timeout, 1))
	assert.NoFileExists(t, c.Pointer)
}

// assertVerdict compares the layer of the fault with what a check says of it.
func assertVerdict(t *testing.T, r probe.Report, fault faulttest.Fault) {
	t.Helper()
	for _, l := range r.Layers {
		if l.Name != r.Diagnosis.Layer {
			continue
		}
		assert.Equal(t, string(fault.Reason), l.Reason, l.Result)
		assert.Equal(t, fault.Class.String(), l.Class)
		if l.Name == "call" {
			assert.Equal(t, fault.Code, l.Code)
		}
	}
}
