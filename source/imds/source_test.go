package imds_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
)

var _ transport.TokenSource = (*imds.Source)(nil)

// budget is what the network step of a boot has.
const budget = 3 * time.Second

// once answers "at once": no pause was made, on a machine that is busy with other tests.
const once = 2 * time.Second

// ask calls Token with the budget and returns how long it took.
func ask(t *testing.T, endpoint string, opts ...imds.Option) (string, time.Duration, error) {
	t.Helper()
	return askWithin(t, budget, endpoint, opts...)
}

func askWithin(t *testing.T, budget time.Duration, endpoint string, opts ...imds.Option) (string, time.Duration, error) {
	t.Helper()
	source, err := imds.New(append(opts, imds.WithEndpoint(endpoint))...)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), budget)
	defer cancel()
	began := time.Now()
	got, err := source.Token(ctx)
	if err != nil {
		assert.Empty(t, got)
	}
	return got, time.Since(began), err
}

func TestTokenAsksAsIMDSWantsIt(t *testing.T) {
	t.Parallel()
	server := imdstest.Start(t)
	got, _, err := ask(t, server.URL()+"/")
	require.NoError(t, err)
	assert.Equal(t, server.Signature(), got)

	requests := server.Requests()
	require.Len(t, requests, 1)
	assert.Equal(t, http.MethodGet, requests[0].Method)
	assert.Equal(t, "/metadata/attested/document", requests[0].Path)
	assert.Equal(t, "api-version=2025-04-07", requests[0].Query.Encode())
	assert.Equal(t, "true", requests[0].Header.Get("Metadata"))
	assert.Equal(t, "close", requests[0].Header.Get("Connection"))
	assert.NotContains(t, requests[0].Header, "X-Forwarded-For")
	assert.NotContains(t, requests[0].Header, "Accept-Encoding")
}

func TestTokenIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	server := imdstest.Start(t)
	source, err := imds.New(imds.WithEndpoint(server.URL()))
	require.NoError(t, err)
	results := make(chan error, 8)
	for range cap(results) {
		go func() {
			got, err := source.Token(t.Context())
			if err == nil && got != server.Signature() {
				err = errors.New("wrong token")
			}
			results <- err
		}()
	}
	for range cap(results) {
		assert.NoError(t, <-results)
	}
}

func TestI1Retry(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]imdstest.Reply{
		"404":                  imdstest.Status(http.StatusNotFound),
		"410":                  imdstest.Status(http.StatusGone),
		"429":                  imdstest.Status(http.StatusTooManyRequests),
		"500":                  imdstest.Status(http.StatusInternalServerError),
		"503":                  imdstest.Status(http.StatusServiceUnavailable),
		"599":                  imdstest.Status(599),
		"reset":                {Drop: true},
		"lost in the body":     {Cut: true},
		"429, Retry-After 0":   imdstest.RetryAfter(http.StatusTooManyRequests, "0"),
		"429, Retry-After bad": imdstest.RetryAfter(http.StatusTooManyRequests, "soon"),
		"429, Retry-After -1":  imdstest.RetryAfter(http.StatusTooManyRequests, "-1"),
		"429, a date long ago": imdstest.RetryAfter(http.StatusTooManyRequests, "Mon, 02 Jan 2006 15:04:05 GMT"),
	} {
		t.Run("I1 "+name+" once, then 200", func(t *testing.T) {
			t.Parallel()
			server := imdstest.Start(t)
			server.Respond(first, imdstest.Reply{})
			got, took, err := ask(t, server.URL())
			require.NoError(t, err)
			assert.Equal(t, server.Signature(), got)
			assert.Len(t, server.Requests(), 2)
			assert.GreaterOrEqual(t, took, 50*time.Millisecond)
		})
	}
}

func TestI1RetryAfterBeyondTheBudget(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"an hour":     "3600",
		"4 s":         "4",
		"a date":      time.Now().Add(time.Hour).UTC().Format(http.TimeFormat),
		"a far date":  "Fri, 31 Dec 9999 23:59:59 GMT",
		"60 digits":   strings.Repeat("9", 60),
		"overflow ns": "18446744074",
	} {
		t.Run("I1 "+name, func(t *testing.T) {
			t.Parallel()
			server := imdstest.Start(t)
			server.Respond(imdstest.RetryAfter(http.StatusTooManyRequests, value))
			_, took, err := ask(t, server.URL())
			require.ErrorContains(t, err, "HTTP 429 Too Many Requests")
			assert.Less(t, took, once)
			assert.Len(t, server.Requests(), 1)
		})
	}
}

func TestFinalStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{201, 204, 206, 300, 301, 302, 304, 307, 308, 400, 401, 403, 405, 408, 418, 499} {
		t.Run(fmt.Sprintf("I1 %d", status), func(t *testing.T) {
			t.Parallel()
			server := imdstest.Start(t)
			server.Respond(imdstest.Reply{Status: status})
			_, took, err := ask(t, server.URL())
			require.ErrorContains(t, err, fmt.Sprintf("try 1: HTTP %d", status))
			assert.Less(t, took, once)
			assert.Len(t, server.Requests(), 1)
		})
	}
}

func TestI2TooSlow(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]imdstest.Reply{
		"an answer after 30 s": {Delay: 30 * time.Second},
		"silence":              {Hang: true},
	} {
		t.Run("I2 "+name, func(t *testing.T) {
			t.Parallel()
			server := imdstest.Start(t)
			server.Respond(imdstest.Status(http.StatusBadGateway), reply)
			_, took, err := askWithin(t, time.Second, server.URL())
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorContains(t, err, "Bad Gateway", "the failure before is told too")
			assert.Less(t, took, once)
		})
	}
}

func TestI4Redirect(t *testing.T) {
	t.Parallel()
	other := imdstest.Start(t)
	for _, target := range []string{other.URL() + "/metadata/attested/document?api-version=2025-04-07", "/elsewhere", "http://[::bad"} {
		server := imdstest.Start(t)
		server.Respond(imdstest.Redirect(target))
		_, took, err := ask(t, server.URL())
		require.ErrorContains(t, err, "HTTP 302 Found")
		assert.Less(t, took, once)
		assert.Len(t, server.Requests(), 1)
	}
	assert.Empty(t, other.Requests())
}

func TestI5NoUsableSignature(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply imdstest.Reply
		says  string
	}{
		"HTML":      {imdstest.HTML(), "not JSON: wrong at byte 1 of 57"},
		"truncated": {imdstest.Truncated(), "not JSON"},
		"nothing":   {imdstest.JSON(""), "not JSON"},
		"50 MiB":    {imdstest.Oversized(50 << 20), "larger than 1048576 bytes"},
		"{}":        {imdstest.JSON("{}"), "no signature"},
		"empty":     {imdstest.JSON(`{"signature":""}`), "empty"},
	} {
		t.Run("I5 "+name, func(t *testing.T) {
			t.Parallel()
			server := imdstest.Start(t)
			server.Respond(tt.reply)
			_, took, err := ask(t, server.URL())
			require.ErrorContains(t, err, tt.says)
			assert.Less(t, took, once)
			assert.Len(t, server.Requests(), 1)
		})
	}
}

func TestI5MemoryIsBounded(t *testing.T) { // not parallel: it reads the process's allocations
	server := imdstest.Start(t)
	server.Respond(imdstest.Oversized(50 << 20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := ask(t, server.URL())
	runtime.ReadMemStats(&after)
	require.Error(t, err)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
}

func TestI6Newlines(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", "\r\n"} {
		server := imdstest.Start(t, imdstest.WithSignature("MIIK+w=="+end))
		got, _, err := ask(t, server.URL())
		require.NoError(t, err)
		assert.Equal(t, "MIIK+w==", got)
	}
	server := imdstest.Start(t, imdstest.WithSignature("MIIK\nSECRET=="))
	_, _, err := ask(t, server.URL())
	require.ErrorContains(t, err, "cannot stand in a header")
	assert.NotContains(t, err.Error(), "SECRET")
	assert.Len(t, server.Requests(), 1)
}

func TestErrorQuotesAnErrorStatusOnly(t *testing.T) {
	t.Parallel()
	long := "x" + strings.Repeat("ö", 100)
	for name, tt := range map[string]struct {
		reply imdstest.Reply
		want  string
	}{
		"short":          {imdstest.Reply{Status: 400, Body: []byte("no\x00such\r\n\tthing\u2028here\xff")}, "imds: try 1: HTTP 400 Bad Request: no such thing here"},
		"long":           {imdstest.Reply{Status: 400, Body: []byte(long)}, "imds: try 1: HTTP 400 Bad Request: " + long[:119] + "…"},
		"none":           {imdstest.Reply{Status: 403}, "imds: try 1: HTTP 403 Forbidden"},
		"unknown status": {imdstest.Reply{Status: 444, Body: []byte("x")}, "imds: try 1: HTTP 444: x"},
		"201":            {imdstest.Reply{Status: 201, Body: []byte(`{"signature":"SECRET"}`)}, "imds: try 1: HTTP 201 Created"},
		"huge":           {imdstest.Reply{Status: 403, Fill: 50 << 20}, "imds: try 1: HTTP 403 Forbidden: [redacted]"},
		"the document":   {imdstest.Reply{Status: 400, Body: []byte(`{"error":"cannot serve ` + strings.Repeat("MIIKzAYJKoZIhvcNAQcC", 200) + `"}`)}, `imds: try 1: HTTP 400 Bad Request: {"error":"cannot serve [redacted]"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := imdstest.Start(t)
			server.Respond(tt.reply)
			_, _, err := ask(t, server.URL())
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestErrorBodyThatStallsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	endpoint := raw(t, "HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nno entry", false)
	_, took, err := ask(t, endpoint)
	assert.EqualError(t, err, "imds: try 1: HTTP 403 Forbidden: no entry")
	assert.Less(t, took, once)
}

func TestAnswerThatIsNoHTTPIsNotQuoted(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"no status line": `{"signature":"SECRET"}` + "\n",
		"no header":      "HTTP/1.1 200 OK\r\n{\"signature\":\"SECRET\"}\r\n\r\n",
		"huge header":    "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("SECRET", 64<<10) + "\r\n\r\n",
		"chunks":         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nSECRET\r\n",
		"body cut":       "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"signature\":\"SECRET\"}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			_, _, err := askWithin(t, 500*time.Millisecond, raw(t, answer, true), imds.WithLogger(logger))
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "SECRET")
			assert.Contains(t, log.String(), "no attested document yet")
			assert.NotContains(t, log.String(), "SECRET")
		})
	}
}

func TestLogDoesNotHoldTheToken(t *testing.T) {
	t.Parallel()
	server := imdstest.Start(t)
	server.Respond(imdstest.Status(http.StatusServiceUnavailable), imdstest.Reply{})
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, _, err := ask(t, server.URL(), imds.WithLogger(logger))
	require.NoError(t, err)
	assert.Contains(t, log.String(), "HTTP 503 Service Unavailable")
	assert.NotContains(t, log.String(), server.Signature()[:16])
}

func TestCancelledCall(t *testing.T) {
	t.Parallel()
	server := imdstest.Start(t)
	server.Respond(imdstest.Reply{Hang: true})
	source, err := imds.New(imds.WithEndpoint(server.URL()))
	require.NoError(t, err)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = source.Token(gone)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, server.Requests())

	because, cancelBecause := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancelBecause(errors.New("SIGTERM")) })
	_, err = source.Token(because)
	require.ErrorIs(t, err, context.Canceled)
	assert.EqualError(t, err, "imds: try 1: no answer yet: context canceled")
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{
		"", "169.254.169.254", "169.254.169.254:80", "https://169.254.169.254", "http://", "http://:80", "http:///metadata",
		"ftp://host", "http://host:99999", "http://host:0", "http://host:http", "http://user:pw@host", "http://host?x=1",
		"http://host#x", "http://ho st", "://", "http://%zz", "http://[::1",
	} {
		_, err := imds.New(imds.WithEndpoint(endpoint))
		assert.ErrorContains(t, err, "imds: endpoint: ", endpoint)
	}
	_, err := imds.New(imds.WithLogger(nil))
	assert.Error(t, err)
	_, err = imds.New()
	assert.NoError(t, err)
}

// raw listens on the loopback, sends answer to whoever sends a request, and closes the connection or keeps it open.
func raw(t *testing.T, answer string, closes bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte(answer))
			if closes {
				_ = conn.Close()
				continue
			}
			defer func() { _ = conn.Close() }()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return "http://" + listener.Addr().String()
}

// T1: the environment of these tests names a proxy (see TestMain), and the address is not one that Go's own rules leave
// out, as they do loopback.
func TestT1NeverProxied(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dialled := make(chan string, 1)
	refuse := func(_ context.Context, _, address string) (net.Conn, error) {
		dialled <- address
		cancel() // there is no second attempt
		return nil, errors.New("no network")
	}
	source, err := imds.New(imds.WithDial(refuse))
	require.NoError(t, err)

	_, err = source.Token(ctx)

	require.Error(t, err)
	assert.Equal(t, "169.254.169.254:80", <-dialled)
}
