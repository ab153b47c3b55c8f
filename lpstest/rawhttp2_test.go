package lpstest_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/bootpointer/bootpointer/lpstest"
)

// web returns an HTTP/2 client for peers of ca.
func web(t *testing.T, ca *lpstest.CA) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: clientTLS(ca, "h2"), ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

func TestRawHTTPStatus(t *testing.T) {
	t.Parallel()
	s := lpstest.StartRawHTTP2(t)
	s.Respond(lpstest.HTTPStatus(502, "text/html", "<h1>no</h1>"))

	reply, err := web(t, s.CA()).Get("https://" + s.Addr() + "/path")
	require.NoError(t, err)
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	assert.Equal(t, 502, reply.StatusCode)
	assert.Equal(t, "text/html", reply.Header.Get("Content-Type"))
	assert.Equal(t, "<h1>no</h1>", string(body))

	_, err = ask(t.Context(), dial(t, s.Addr(), s.CA()), component)
	assert.Equal(t, codes.Unavailable, status.Code(err), "T3 made up by the client")
	assert.ErrorContains(t, err, "502")
	assert.Equal(t, 2, s.Conns())
	assert.Len(t, s.Handshakes(), 2)
}

func TestRawBodyIsCutAtOneFrame(t *testing.T) {
	t.Parallel()
	s := lpstest.StartRawHTTP2(t)
	s.Respond(lpstest.HTTPStatus(200, "text/plain", strings.Repeat("x", 20<<10)))
	reply, err := web(t, s.CA()).Get("https://" + s.Addr())
	require.NoError(t, err)
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	assert.Len(t, body, 16<<10)
}

func TestRawRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	s := lpstest.StartRawHTTP2(t)
	s.Respond(lpstest.GRPCStatus(codes.NotFound, "nothing"), lpstest.Config(component, "{}"))
	conn := dial(t, s.Addr(), s.CA())
	token := strings.Repeat("t", 12<<10) // longer than one frame may be together with the rest
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", token, "x", "1", "x", "2")

	_, err := ask(ctx, conn, component)
	assert.Equal(t, codes.NotFound, status.Code(err))
	assert.ErrorContains(t, err, "nothing")
	config, err := ask(ctx, conn, component)
	require.NoError(t, err)
	assert.Equal(t, "{}", config)

	requests := s.Requests()
	require.Len(t, requests, 2)
	assert.Less(t, requests[0].Stream, requests[1].Stream)
	for _, r := range requests {
		assert.Equal(t, []string{lpstest.Method}, r.Header.Get(":path"))
		assert.Equal(t, []string{fqdn}, r.Header.Get(":authority"))
		assert.Equal(t, []string{token}, r.Header.Get("authorization"))
		assert.Equal(t, []string{"1", "2"}, r.Header.Get("x"))
		assert.Equal(t, s.Handshakes()[0].Remote, r.Remote)
		assert.WithinDuration(t, time.Now(), r.Time, patience)
	}
	assert.Equal(t, 1, s.Conns())
}

func TestRawReset(t *testing.T) {
	t.Parallel()
	for reset, want := range map[http2.ErrCode]codes.Code{
		http2.ErrCodeEnhanceYourCalm:    codes.ResourceExhausted,
		http2.ErrCodeInadequateSecurity: codes.PermissionDenied,
		http2.ErrCodeFlowControl:        codes.ResourceExhausted,
		http2.ErrCodeCancel:             codes.Canceled,
	} {
		t.Run("T4 "+reset.String(), func(t *testing.T) {
			t.Parallel()
			s := lpstest.StartRawHTTP2(t)
			s.Respond(lpstest.ResetStream(reset))
			_, err := ask(t.Context(), dial(t, s.Addr(), s.CA()), component)
			assert.Equal(t, want, status.Code(err))
			assert.Len(t, s.Requests(), 1)
		})
	}
}

func TestRawGoAway(t *testing.T) {
	t.Parallel()
	for name, processed := range map[string]bool{"T5 processed": true, "T5 not processed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lpstest.StartRawHTTP2(t)
			s.Respond(
				lpstest.InOrder(lpstest.GoAway(processed, http2.ErrCodeNo), lpstest.CloseConnection()),
				lpstest.Config(component, "second"),
			)
			config, err := ask(t.Context(), dial(t, s.Addr(), s.CA()), component)
			if processed {
				assert.Equal(t, codes.Unavailable, status.Code(err))
				assert.Len(t, s.Requests(), 1)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "second", config)
			assert.Len(t, s.Requests(), 2)
			assert.Equal(t, 2, s.Conns())
		})
	}
}

func TestRawCloseConnection(t *testing.T) {
	t.Parallel()
	s := lpstest.StartRawHTTP2(t)
	s.Respond(lpstest.CloseConnection())
	_, err := ask(t.Context(), dial(t, s.Addr(), s.CA()), component)
	assert.Equal(t, codes.Unavailable, status.Code(err))
}

// expectSilence makes a call that hangs until reached, and a little longer.
func expectSilence(t *testing.T, s *lpstest.RawHTTP2, reached func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 1)
	conn := dial(t, s.Addr(), s.CA())
	go func() {
		_, err := ask(ctx, conn, component, grpc.WaitForReady(true))
		errs <- err
	}()
	require.Eventually(t, reached, patience, time.Millisecond)
	select {
	case err := <-errs:
		t.Errorf("answered: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	cancel()
	assert.Equal(t, codes.Canceled, status.Code(<-errs))
}

func TestRawSilence(t *testing.T) {
	t.Parallel()
	t.Run("T7 SETTINGS and no reply", func(t *testing.T) {
		t.Parallel()
		s := lpstest.StartRawHTTP2(t)
		s.Respond()
		expectSilence(t, s, func() bool { return len(s.Requests()) == 1 })
	})
	t.Run("T7 no SETTINGS", func(t *testing.T) {
		t.Parallel()
		s := lpstest.StartRawHTTP2(t, lpstest.WithoutSettings())
		s.Respond(lpstest.Config(component, "{}"))
		expectSilence(t, s, func() bool { return len(s.Handshakes()) == 1 })
		assert.Empty(t, s.Requests(), "grpc-go waits for SETTINGS")
	})
}

func TestRawRefillsTheWindow(t *testing.T) {
	t.Parallel()
	s := lpstest.StartRawHTTP2(t)
	s.Respond(lpstest.Config(component, "{}"))
	conn := dial(t, s.Addr(), s.CA())
	for range 10 { // 100 KiB in all, the window has 64
		_, err := ask(t.Context(), conn, strings.Repeat("c", 10<<10))
		require.NoError(t, err)
	}
}

func TestRawAnswersPings(t *testing.T) {
	t.Parallel()
	s := lpstest.StartRawHTTP2(t)
	conn, err := tls.Dial("tcp", s.Addr(), clientTLS(s.CA(), "h2"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(conn, http2.ClientPreface)
	require.NoError(t, err)
	framer := http2.NewFramer(conn, conn)
	require.NoError(t, framer.WriteSettings())
	require.NoError(t, framer.WritePing(false, [8]byte{1, 2, 3}))
	for {
		frame, err := framer.ReadFrame()
		require.NoError(t, err)
		if ping, ok := frame.(*http2.PingFrame); ok {
			assert.True(t, ping.IsAck())
			assert.Equal(t, [8]byte{1, 2, 3}, ping.Data)
			return
		}
	}
}

func TestRawOutlivesGarbage(t *testing.T) {
	t.Parallel()
	s := lpstest.StartRawHTTP2(t)
	s.Respond(lpstest.Config(component, "{}"))
	for name, garbage := range map[string]string{
		"no preface":      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"frame too large": http2.ClientPreface + "\xff\xff\xff\x00\x00\x00\x00\x00\x01",
		"headers on 0":    http2.ClientPreface + "\x00\x00\x01\x01\x05\x00\x00\x00\x00\x82",
		"broken HPACK":    http2.ClientPreface + "\x00\x00\x01\x01\x05\x00\x00\x00\x01\xff",
	} {
		conn, err := tls.Dial("tcp", s.Addr(), clientTLS(s.CA(), "h2"))
		require.NoError(t, err, name)
		_, err = io.WriteString(conn, garbage)
		require.NoError(t, err, name)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
		_, err = io.Copy(io.Discard, conn)
		assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "%s: the connection stays open", name)
		_ = conn.Close()
	}
	_, err := ask(t.Context(), dial(t, s.Addr(), s.CA()), component)
	assert.NoError(t, err)
}

func TestImpostor(t *testing.T) {
	t.Parallel()
	s := lpstest.StartImpostor(t, fqdn)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "token")
	_, err := ask(ctx, dial(t, s.Addr(), s.CA()), component)
	assert.ErrorContains(t, err, lpstest.ServerName, "T8 the name is wrong")
	require.Eventually(t, func() bool { return len(s.Handshakes()) > 0 }, patience, time.Millisecond)
	assert.ErrorContains(t, s.Handshakes()[0].Err, "bad certificate")
	assert.Empty(t, s.Requests())

	careless := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: s.CA().Pool(), ServerName: fqdn},
		ForceAttemptHTTP2: true,
	}
	defer careless.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+s.Addr(), nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "token")
	reply, err := careless.RoundTrip(request)
	require.NoError(t, err)
	defer reply.Body.Close()
	assert.Equal(t, 401, reply.StatusCode)
	assert.Equal(t, "application/json", reply.Header.Get("Content-Type"))
	require.Len(t, s.Requests(), 1)
	assert.Equal(t, []string{"token"}, s.Requests()[0].Header.Get("authorization"))
	assert.Equal(t, "h2", s.Handshakes()[len(s.Handshakes())-1].Selected)
}

func TestRawRefusesWhatItIgnores(t *testing.T) {
	t.Parallel()
	_, err := lpstest.NewRawHTTP2(lpstest.WithToken("x"))
	assert.Error(t, err)
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	cert, err := ca.Issue()
	require.NoError(t, err)
	_, err = lpstest.NewImpostor(fqdn, lpstest.WithCertificate(cert))
	assert.Error(t, err)
}
