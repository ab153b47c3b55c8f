package blob

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	component = "aksNodeController"
	secret    = "c2lnbmF0dXJlIG9mIHRoZSBjb250YWluZXI"
)

// TestConformance is all it takes to run the suite. In a child process of TestSuiteCatches the transport is broken.
func TestConformance(t *testing.T) {
	fault := faults[os.Getenv(faultVariable)]
	transporttest.Run(t, transporttest.Harness{
		Component: component,
		New: func(t *testing.T, s transporttest.Situation, body []byte) transport.Transport {
			handler := inSituation(s, body)
			if handler == nil {
				return nil
			}
			tr := open(t, handler, s == transporttest.Down)
			if fault.broken != nil {
				return brokenTransport{tr, fault.broken(tr)}
			}
			return tr
		},
	})
}

// inSituation returns a storage service in situation s. A blob does not say which component it is for.
func inSituation(s transporttest.Situation, body []byte) http.HandlerFunc {
	switch s {
	case transporttest.Serving, transporttest.TooLarge:
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/pointers/aksNodeController.json" || r.URL.Query().Get("sig") != secret {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			_, _ = w.Write(body)
		}
	case transporttest.Nothing:
		return status(http.StatusNotFound, "X-Ms-Error-Code", "BlobNotFound")
	case transporttest.Down:
		return status(http.StatusServiceUnavailable)
	case transporttest.Silent:
		return func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // returning would answer 200
		}
	default:
		return nil
	}
}

// status returns a service that answers with code and a header.
func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// open starts a service and returns a transport that trusts it. A service that is down is gone before it is asked.
func open(t *testing.T, handler http.Handler, down bool) *Transport {
	t.Helper()
	service := httptest.NewUnstartedServer(handler)
	service.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	service.StartTLS()
	t.Cleanup(func() {
		service.CloseClientConnections()
		service.Close()
	})
	if down {
		service.Close()
	}
	tr, err := New(service.URL+"/pointers?sv=2026-04-06&sig="+secret, service.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs)
	require.NoError(t, err)
	return tr
}

func fetch(t *testing.T, tr transport.Transport) (transport.Document, *transport.Error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	doc, err := tr.Fetch(ctx, transport.Request{Component: component})
	if err == nil {
		return doc, nil
	}
	var e *transport.Error
	require.ErrorAs(t, err, &e)
	return doc, e
}

func TestFetchClassifies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		class   transport.Class
		reason  transport.Reason
		code    string
	}{
		"no such blob":        {status(404, "X-Ms-Error-Code", "BlobNotFound"), transport.Benign, transport.ReasonStatus, "404"},
		"somebody else's 404": {status(404), transport.FallbackEligible, transport.ReasonHTTPStatus, "404"},
		"expired signature":   {status(403, "X-Ms-Error-Code", "AuthenticationFailed"), transport.FallbackEligible, transport.ReasonHTTPStatus, "403"},
		"redirect":            {status(302, "Location", "https://127.0.0.1:1/"), transport.FallbackEligible, transport.ReasonHTTPStatus, "302"},
		"busy":                {status(503), transport.FallbackEligible, transport.ReasonHTTPStatus, "503"},
		"aborted":             {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, transport.FallbackEligible, transport.ReasonConnect, ""},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
		}, transport.FallbackEligible, transport.ReasonConnect, ""},
		"no HTTP, and the signature sent back": {func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = conn.Write([]byte("HTTP/1.1 " + r.URL.RawQuery + "\r\n\r\n"))
				_ = conn.Close()
			}
		}, transport.FallbackEligible, transport.ReasonConnect, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fetch(t, open(t, tc.handler, false))

			require.NotNil(t, err)
			assert.Equal(t, tc.class, err.Class)
			assert.Equal(t, tc.reason, err.Reason, err)
			assert.Equal(t, tc.code, err.Code)
			assert.NotContains(t, err.Error(), secret)
		})
	}
}

func TestFetchTrustsNobodyElse(t *testing.T) {
	t.Parallel()
	calls := make(chan struct{}, 1)
	tr := open(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls <- struct{}{} }), false)
	tr.http.TLSClientConfig.RootCAs = nil

	_, err := fetch(t, tr)

	require.NotNil(t, err)
	assert.Equal(t, transport.ReasonTLS, err.Reason)
	assert.Empty(t, calls, "the signature was sent")
}

// The name of a component cannot lead out of the container.
func TestFetchStaysInTheContainer(t *testing.T) {
	t.Parallel()
	var asked string
	tr := open(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.EscapedPath() }), false)

	_, err := tr.Fetch(t.Context(), transport.Request{Component: "../../x?sig=y"})

	require.NoError(t, err)
	assert.Equal(t, "/pointers/..%2F..%2Fx%3Fsig=y.json", asked)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, sas := range []string{"", "http://blob.example/c?sig=" + secret, "https://blob.example/c", "https:///c?sig=" + secret,
		"https://blob.example/%zz?sig=" + secret} {
		_, err := New(sas, nil)
		require.Error(t, err, sas)
		assert.NotContains(t, err.Error(), secret)
	}
}
