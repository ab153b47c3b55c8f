package probe_test

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/internal/probe"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// assertSchema holds a report's JSON to docs/probe.schema.json.
func assertSchema(t *testing.T, r probe.Report) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("../../docs/probe.schema.json")
	require.NoError(t, err)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	assert.NoError(t, schema.Validate(instance), "%s", text)
}

const script = `<script>document.title="taken"</script><img src=x onerror="document.title='taken'">`

// hostile are peers that send markup wherever they can.
func hostile() map[string]func(t *testing.T) faulttest.Node {
	return map[string]func(t *testing.T) faulttest.Node{
		"in grpc-message": func(t *testing.T) faulttest.Node {
			return serving(t, lpstest.Reply{Code: codes.Internal, Message: script})
		},
		"in a web page":                 faulttest.Raw(faulttest.Actions(lpstest.HTTPStatus(502, "text/html", script))),
		"in the certificate's names":    func(t *testing.T) faulttest.Node { return presenting(t, lpstest.ServerName, script) },
		"in the certificate's one name": func(t *testing.T) faulttest.Node { return presenting(t, script) },
		"in an entry": func(t *testing.T) faulttest.Node {
			b, err := json.Marshal(map[string]any{"hotfixes": map[string]string{"202604.01": "202604.01.1", script: script}})
			require.NoError(t, err)
			return serving(t, lpstest.Reply{Config: string(b)})
		},
	}
}

// presenting is a service whose certificate has these names.
func presenting(t *testing.T, names ...string) faulttest.Node {
	t.Helper()
	ca, err := lpstest.NewCA(lpstest.WithSubject(script))
	require.NoError(t, err)
	cert, err := ca.Issue(lpstest.WithDNSNames(names...))
	require.NoError(t, err)
	lps := lpstest.Start(t, lpstest.WithCA(ca), lpstest.WithCertificate(cert))
	return faulttest.Node{Addr: lps.Addr(), CAs: []*x509.Certificate{ca.Certificate()}, Tokens: transport.StaticToken(faulttest.Token)}
}

func TestPeersCannotWriteMarkup(t *testing.T) {
	t.Parallel()
	for name, node := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := probe.Run(t.Context(), newConfig(t, node(t), "grpc"))
			assertSchema(t, r)
			page := assertInert(t, r)
			assert.Contains(t, page, `document.title=`, "it is there, as text")
		})
	}
}

// assertInert parses a report's page and asserts that nothing in it runs or loads anything. It returns the page's text.
func assertInert(t *testing.T, r probe.Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.HTML(&b))
	page, err := html.Parse(&b)
	require.NoError(t, err)
	var text strings.Builder
	for n := range page.Descendants() {
		if n.Type == html.TextNode {
			text.WriteString(n.Data + "\n")
		}
		if n.Type == html.ElementNode {
			assert.Contains(t, []string{"html", "head", "meta", "title", "style", "body", "header", "p", "h1", "strong", "section", "h2",
				"table", "tbody", "tr", "th", "td", "svg", "rect", "article", "h3", "span", "dl", "dt", "dd", "pre"}, n.Data)
		}
		for _, a := range n.Attr {
			assert.NotContains(t, []string{"src", "href", "style", "srcset", "action"}, a.Key)
			assert.False(t, strings.HasPrefix(a.Key, "on"), a.Key)
		}
	}
	assert.Contains(t, text.String(), r.Diagnosis.Sentence)
	assert.Contains(t, text.String(), r.Diagnosis.Next)
	return text.String()
}

func TestHTMLHasAPolicy(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, probe.Report{}.HTML(&b))
	assert.Contains(t, b.String(), `http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-`)
	assert.True(t, strings.HasPrefix(b.String(), "<!DOCTYPE html><html"))
}

func TestShare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		start, took, whole time.Duration
		size, from, width  int
	}{
		{0, time.Second, time.Second, 40, 0, 40},
		{0, 0, time.Second, 40, 0, 1},
		{time.Second, 0, time.Second, 40, 39, 1},
		{500 * time.Millisecond, 250 * time.Millisecond, time.Second, 40, 20, 10},
		{time.Second, time.Second, time.Second, 40, 39, 1},
		{0, 0, 0, 40, 0, 40},
	} {
		from, width := probe.Layer{Start: tt.start, Duration: tt.took}.Share(tt.whole, tt.size)
		assert.Equal(t, []int{tt.from, tt.width}, []int{from, width}, "%+v", tt)
	}
}

func TestRounded(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "0.01 ms", probe.Rounded(10*time.Microsecond))
	assert.Equal(t, "9.99 ms", probe.Rounded(9990*time.Microsecond))
	assert.Equal(t, "46 ms", probe.Rounded(46*time.Millisecond))
	assert.Equal(t, "3.08 s", probe.Rounded(3080*time.Millisecond))
}
