package imdstest_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

const documentPath = "/metadata/attested/document?api-version=2025-04-07"

// client keeps no connections, so that none is left after a test.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       10 * time.Second,
}

// get sends a request as a client of IMDS does, and returns the answer with its body.
func get(server *imdstest.Server, target string, change ...func(*http.Request)) (*http.Response, string, error) {
	req, err := http.NewRequest(http.MethodGet, server.URL()+target, nil)
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Metadata", "true")
	for _, f := range change {
		f(req)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func TestHealthyServer(t *testing.T) {
	t.Parallel()
	server := imdstest.Start(t)
	resp, body, err := get(server, documentPath)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Equal(t, "application/json; charset=utf-8", resp.Header.Get("Content-Type"))

	var document struct{ Encoding, Signature string }
	require.NoError(t, json.Unmarshal([]byte(body), &document))
	assert.Equal(t, "pkcs7", document.Encoding)
	assert.Equal(t, server.Signature(), document.Signature)
	assert.True(t, strings.HasPrefix(document.Signature, "MII"))
	assert.Len(t, document.Signature, 4096)
	_, err = base64.StdEncoding.DecodeString(document.Signature)
	require.NoError(t, err)
	assert.NotEqual(t, server.Signature(), imdstest.Start(t).Signature())
}

func TestServerRefusesWhatIMDSRefuses(t *testing.T) {
	t.Parallel()
	server := imdstest.Start(t)
	server.Respond(imdstest.HTML()) // no refusal takes it
	for name, tt := range map[string]struct {
		target string
		change func(*http.Request)
		status int
		says   string
	}{
		"no Metadata header":    {documentPath, func(r *http.Request) { r.Header.Del("Metadata") }, 400, "metadata header"},
		"Metadata: false":       {documentPath, func(r *http.Request) { r.Header.Set("Metadata", "false") }, 400, "metadata header"},
		"no api-version":        {"/metadata/attested/document", nil, 400, "api-version"},
		"api-version of no use": {"/metadata/attested/document?api-version=latest", nil, 400, "api-version"},
		"forwarded":             {documentPath, func(r *http.Request) { r.Header.Set("X-Forwarded-For", "10.0.0.1") }, 400, "Forwarded"},
		"other path":            {"/metadata/instance?api-version=2025-04-07", nil, 404, "Not Found"},
		"POST":                  {documentPath, func(r *http.Request) { r.Method = http.MethodPost }, 405, "Method Not Allowed"},
	} {
		if tt.change == nil {
			tt.change = func(*http.Request) {}
		}
		resp, body, err := get(server, tt.target, tt.change)
		require.NoError(t, err, name)
		assert.Equal(t, tt.status, resp.StatusCode, name)
		assert.Contains(t, body, tt.says, name)
		assert.True(t, json.Valid([]byte(body)), name)
	}
	assert.Len(t, server.Requests(), 7)
	_, body, err := get(server, documentPath)
	require.NoError(t, err)
	assert.Contains(t, body, "<html>")
	for i, r := range server.Requests() {
		assert.Equal(t, i < 7, r.Refused, "request %d", i)
	}
}

func TestRespondFollowsTheScript(t *testing.T) {
	t.Parallel()
	server := imdstest.Start(t)
	server.Respond(imdstest.Status(http.StatusGone), imdstest.RetryAfter(http.StatusTooManyRequests, "7"), imdstest.Reply{})
	var statuses []int
	for range 4 {
		resp, _, err := get(server, documentPath)
		require.NoError(t, err)
		statuses = append(statuses, resp.StatusCode)
		if resp.StatusCode == http.StatusTooManyRequests {
			assert.Equal(t, "7", resp.Header.Get("Retry-After"))
		}
	}
	assert.Equal(t, []int{410, 429, 200, 200}, statuses)

	server.Respond(imdstest.Redirect("http://192.0.2.1/"))
	resp, _, err := get(server, documentPath)
	require.NoError(t, err)
	assert.Equal(t, 302, resp.StatusCode)
	assert.Equal(t, "http://192.0.2.1/", resp.Header.Get("Location"))

	server.Respond()
	_, body, err := get(server, documentPath)
	require.NoError(t, err)
	assert.Contains(t, body, server.Signature())
}

func TestFaults(t *testing.T) {
	t.Parallel()
	server := imdstest.Start(t)

	server.Respond(imdstest.Reply{Drop: true})
	_, _, err := get(server, documentPath)
	require.Error(t, err)
	assert.NotErrorIs(t, err, io.EOF, "closed, but not reset")

	server.Respond(imdstest.Reply{Cut: true})
	_, body, err := get(server, documentPath)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Contains(t, body, server.Signature()[:1000])

	server.Respond(imdstest.Oversized(3 << 20))
	_, body, err = get(server, documentPath)
	require.NoError(t, err)
	assert.Greater(t, len(body), 3<<20)

	server.Respond(imdstest.Truncated())
	_, body, err = get(server, documentPath)
	require.NoError(t, err)
	assert.False(t, json.Valid([]byte(body)))

	server.Respond(imdstest.Reply{Body: []byte{}})
	resp, body, err := get(server, documentPath)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Empty(t, body)

	server.Respond(imdstest.Reply{Delay: 200 * time.Millisecond})
	began := time.Now()
	_, _, err = get(server, documentPath)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond)
}

func TestCloseEndsWhatHangs(t *testing.T) {
	t.Parallel()
	for _, reply := range []imdstest.Reply{{Hang: true}, {Delay: time.Hour}} {
		server, err := imdstest.New(imdstest.WithSignature("x"))
		require.NoError(t, err)
		server.Respond(reply)
		failed := make(chan error, 1)
		go func() {
			_, _, err := get(server, documentPath)
			failed <- err
		}()
		require.Eventually(t, func() bool { return len(server.Requests()) == 1 }, 5*time.Second, time.Millisecond)
		require.NoError(t, server.Close())
		require.Error(t, <-failed)
		require.NoError(t, server.Close())
		_, _, err = get(server, documentPath)
		require.Error(t, err)
	}
}

func TestStartFailsTheTest(t *testing.T) {
	t.Parallel()
	var tb failing
	assert.Nil(t, imdstest.Start(&tb, imdstest.WithAddress("127.0.0.1:nowhere")))
	assert.Contains(t, string(tb), "nowhere")
}

// failing is a test that notes why it failed.
type failing string

func (f *failing) Helper()                           {}
func (f *failing) Fatalf(format string, args ...any) { *f = failing(fmt.Sprintf(format, args...)) }
func (f *failing) Cleanup(func())                    {}
