package lpstest_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
)

// httpsClient dials s, whatever host is asked for, and follows no redirect.
func httpsClient(t *testing.T, s *lpstest.HTTPS, protos ...string) *http.Client {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	transport := &http.Transport{
		Protocols: protocols,
		DialTLSContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			d := tls.Dialer{Config: &tls.Config{ServerName: lpstest.ServerName, RootCAs: s.CA().Pool(), NextProtos: protos}}
			return d.DialContext(ctx, network, s.Addr())
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get asks for a path and returns the status and the body.
func get(client *http.Client, path, token string) (status int, body string, err error) {
	r, err := http.NewRequest(http.MethodGet, "https://"+lpstest.ServerName+path, nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func TestHTTPSAnswersAndRecords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		protos      []string
		alpn, proto string
	}{
		{[]string{"h2", "http/1.1"}, "h2", "HTTP/2.0"},
		{[]string{"http/1.1"}, "http/1.1", "HTTP/1.1"},
		{nil, "", "HTTP/1.1"},
	} {
		t.Run(tt.proto+" by "+tt.alpn, func(t *testing.T) {
			t.Parallel()
			s := lpstest.StartHTTPS(t)
			s.Serve("document")

			status, body, err := get(httpsClient(t, s, tt.protos...), lpstest.HTTPSPath, "token")

			require.NoError(t, err)
			assert.Equal(t, 200, status)
			assert.Equal(t, "document", body)
			require.Len(t, s.Requests(), 1)
			r := s.Requests()[0]
			assert.Equal(t, "GET", r.Method)
			assert.Equal(t, lpstest.ServerName, r.Host)
			assert.Equal(t, "/v1/anc-hotfix", r.Path)
			assert.Equal(t, "token", r.Token())
			assert.Equal(t, lpstest.ServerName, r.SNI)
			assert.Equal(t, tt.alpn, r.ALPN)
			assert.Equal(t, tt.proto, r.Proto)
			assert.NotEmpty(t, r.Remote)
			assert.WithinDuration(t, time.Now(), r.Time, time.Minute)
			assert.Equal(t, 1, s.Conns())
			require.Len(t, s.Handshakes(), 1)
			assert.Equal(t, tt.protos, s.Handshakes()[0].Offered)
		})
	}
}

func TestHTTPSRefuses(t *testing.T) {
	t.Parallel()
	s := lpstest.StartHTTPS(t, lpstest.WithToken("right"))
	client := httpsClient(t, s, "h2")
	for _, tt := range []struct {
		path, token string
		status      int
		says        string
	}{
		{lpstest.HTTPSPath, "right", 404, "no hotfix"},
		{lpstest.HTTPSPath, "wrong", 401, "no valid token"},
		{lpstest.HTTPSPath, "", 401, "no valid token"},
		{"/", "right", 404, "no such path"},
	} {
		status, body, err := get(client, tt.path, tt.token)
		require.NoError(t, err)
		assert.Equal(t, tt.status, status)
		assert.Equal(t, tt.says, body)
	}
	resp, err := client.Post("https://"+lpstest.ServerName+lpstest.HTTPSPath, "text/plain", strings.NewReader("x"))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, 405, resp.StatusCode)
	assert.Len(t, s.Requests(), 5)
}

func TestHTTPSScript(t *testing.T) {
	t.Parallel()
	s := lpstest.StartHTTPS(t)
	s.Serve("served")
	s.Respond(
		lpstest.HTTPSReply{Status: 503, Header: http.Header{"Retry-After": {"7"}}, Body: "busy "},
		lpstest.HTTPSReply{Status: 400, Body: "bad token ", EchoToken: true},
		lpstest.HTTPSRedirect("https://elsewhere.example/"),
	)
	client := httpsClient(t, s, "http/1.1")
	for _, want := range []struct {
		status int
		body   string
	}{{503, "busy "}, {400, "bad token MIIK"}, {302, ""}, {302, ""}} {
		status, body, err := get(client, lpstest.HTTPSPath, "MIIK")
		require.NoError(t, err)
		assert.Equal(t, want.status, status)
		assert.Equal(t, want.body, body)
	}
	s.Respond()
	_, body, err := get(client, lpstest.HTTPSPath, "")
	require.NoError(t, err)
	assert.Equal(t, "served", body)
}

func TestHTTPSFaults(t *testing.T) {
	t.Parallel()
	for _, proto := range []string{"h2", "http/1.1"} {
		for name, reply := range map[string]lpstest.HTTPSReply{
			"reset": {Reset: true},
			"cut":   {Cut: true, Body: strings.Repeat("x", 1000)},
		} {
			t.Run(name+" "+proto, func(t *testing.T) {
				t.Parallel()
				s := lpstest.StartHTTPS(t)
				s.Respond(reply)
				_, body, err := get(httpsClient(t, s, proto), lpstest.HTTPSPath, "")
				require.Error(t, err)
				assert.Less(t, len(body), 1000)
			})
		}
		for name, reply := range map[string]lpstest.HTTPSReply{
			"hang": {Hang: true}, "delay": {Delay: time.Hour}, "stall": {Stall: true, Body: strings.Repeat("x", 1000)},
		} {
			t.Run(name+" "+proto+", until it closes", func(t *testing.T) {
				t.Parallel()
				s := lpstest.StartHTTPS(t)
				s.Respond(reply)
				errs := make(chan error)
				go func() {
					_, _, err := get(httpsClient(t, s, proto), lpstest.HTTPSPath, "")
					errs <- err
				}()
				require.Eventually(t, func() bool { return len(s.Requests()) == 1 }, patience, time.Millisecond)

				began := time.Now()
				require.NoError(t, s.Close())

				assert.Less(t, time.Since(began), patience/2)
				require.Error(t, <-errs)
				require.NoError(t, s.Close())
			})
		}
	}
}

func TestHTTPSTakesNoOtherOptions(t *testing.T) {
	t.Parallel()
	_, err := lpstest.NewHTTPS(lpstest.WithoutSettings())
	assert.ErrorContains(t, err, "WithoutSettings")
}
