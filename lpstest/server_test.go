package lpstest_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/bootpointer/bootpointer/internal/lpspb"
	"github.com/bootpointer/bootpointer/lpstest"
)

const component = "aksNodeController"

func TestServerAnswersAndRecords(t *testing.T) {
	t.Parallel()
	began := time.Now()
	s := lpstest.Start(t)
	s.Serve(component, `{"hotfixes":{}}`)
	conn := dial(t, s.Addr(), s.CA())
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "token")

	config, err := ask(ctx, conn, component)
	require.NoError(t, err)
	assert.Equal(t, `{"hotfixes":{}}`, config)
	_, err = ask(ctx, conn, "localDNS")
	assert.Equal(t, codes.NotFound, status.Code(err))

	calls := s.Calls()
	require.Len(t, calls, 2)
	assert.Equal(t, component, calls[0].Component)
	assert.Equal(t, "localDNS", calls[1].Component)
	assert.Equal(t, fqdn, calls[0].Authority)
	assert.Equal(t, "token", calls[0].Token())
	assert.Equal(t, fqdn, calls[0].SNI)
	assert.Equal(t, lpstest.ALPN, calls[0].ALPN)
	assert.WithinRange(t, calls[0].Time, began, time.Now())
	assert.Equal(t, 1, s.Conns())

	require.Len(t, s.Handshakes(), 1)
	h := s.Handshakes()[0]
	assert.Equal(t, fqdn, h.SNI)
	assert.Equal(t, []string{lpstest.ALPN, "h2"}, h.Offered)
	assert.Equal(t, lpstest.ALPN, h.Selected)
	assert.Equal(t, uint16(tls.VersionTLS13), h.Version)
	assert.Equal(t, calls[0].Remote, h.Remote)
	assert.False(t, h.Resumed)
	assert.NoError(t, h.Err)
}

func TestScriptTakesTheNextReplyAndKeepsTheLast(t *testing.T) {
	t.Parallel()
	s := lpstest.Start(t)
	s.Serve(component, "served")
	s.Respond(
		lpstest.Reply{Code: codes.Unavailable, Message: "busy"},
		lpstest.Reply{Config: "scripted"},
	)
	conn := dial(t, s.Addr(), s.CA())
	_, err := ask(t.Context(), conn, component)
	assert.Equal(t, codes.Unavailable, status.Code(err))
	assert.ErrorContains(t, err, "busy")
	for range 2 {
		config, err := ask(t.Context(), conn, component)
		require.NoError(t, err)
		assert.Equal(t, "scripted", config)
	}
	s.Respond()
	config, err := ask(t.Context(), conn, component)
	require.NoError(t, err)
	assert.Equal(t, "served", config)
}

func TestReplies(t *testing.T) {
	t.Parallel()
	t.Run("component override", func(t *testing.T) {
		t.Parallel()
		s := lpstest.Start(t)
		s.Respond(lpstest.Reply{Component: "localDNS"})
		var reply lpspb.GetComponentConfigResponse
		err := dial(t, s.Addr(), s.CA()).Invoke(t.Context(), lpstest.Method, &lpspb.GetComponentConfigRequest{}, &reply)
		require.NoError(t, err)
		assert.Equal(t, "localDNS", reply.GetComponentName())
	})
	t.Run("body that is no protobuf", func(t *testing.T) {
		t.Parallel()
		s := lpstest.Start(t)
		s.Respond(lpstest.Reply{RawBody: []byte{0xff, 0xff}})
		_, err := ask(t.Context(), dial(t, s.Addr(), s.CA()), component)
		assert.Equal(t, codes.Internal, status.Code(err))
	})
	t.Run("body of 5 MiB", func(t *testing.T) {
		t.Parallel()
		s := lpstest.Start(t)
		config := bytes.Repeat([]byte("x"), 5<<20)
		s.Respond(lpstest.Reply{Config: string(config)})
		got, err := ask(t.Context(), dial(t, s.Addr(), s.CA()), component)
		require.NoError(t, err)
		assert.Len(t, got, 5<<20)
	})
	t.Run("trailer and echoed token", func(t *testing.T) {
		t.Parallel()
		s := lpstest.Start(t)
		s.Respond(lpstest.Reply{
			Code: codes.PermissionDenied, Message: "bad token ", EchoToken: true,
			Trailer: metadata.Pairs("grpc-retry-pushback-ms", "-1"),
		})
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "secret")
		var trailer metadata.MD
		_, err := ask(ctx, dial(t, s.Addr(), s.CA()), component, grpc.Trailer(&trailer))
		assert.Equal(t, "bad token secret", status.Convert(err).Message())
		assert.Equal(t, []string{"-1"}, trailer.Get("grpc-retry-pushback-ms"))
	})
	t.Run("delay", func(t *testing.T) {
		t.Parallel()
		s := lpstest.Start(t)
		s.Respond(lpstest.Reply{Delay: 100 * time.Millisecond})
		began := time.Now()
		_, err := ask(t.Context(), dial(t, s.Addr(), s.CA()), component)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, time.Since(began), 100*time.Millisecond)
	})
	t.Run("hang until the client gives up", func(t *testing.T) {
		t.Parallel()
		s := lpstest.Start(t)
		s.Respond(lpstest.Reply{Hang: true})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			assert.Eventually(t, func() bool { return len(s.Calls()) == 1 }, patience, time.Millisecond)
			cancel()
		}()
		_, err := ask(ctx, dial(t, s.Addr(), s.CA()), component)
		assert.Equal(t, codes.Canceled, status.Code(err))
	})
	t.Run("reset", func(t *testing.T) {
		t.Parallel()
		s := lpstest.Start(t)
		s.Respond(lpstest.Reply{Reset: true}, lpstest.Reply{})
		var sockets sockets
		conn := dial(t, s.Addr(), s.CA(), grpc.WithContextDialer(sockets.dial))
		_, err := ask(t.Context(), conn, component)
		assert.Equal(t, codes.Unavailable, status.Code(err))
		assert.Eventually(t, sockets.wereReset, patience, time.Millisecond, "a reset, no orderly end")
		_, err = ask(t.Context(), conn, component, grpc.WaitForReady(true))
		require.NoError(t, err)
		assert.Equal(t, 2, s.Conns())
	})
}

func TestTokenIsComparedByteForByte(t *testing.T) {
	t.Parallel()
	s := lpstest.Start(t, lpstest.WithToken("right"))
	s.Serve(component, "{}")
	conn := dial(t, s.Addr(), s.CA())
	for token, want := range map[string]codes.Code{
		"right": codes.OK, "Right": codes.Unauthenticated, "right2": codes.Unauthenticated, "": codes.Unauthenticated,
	} {
		_, err := ask(metadata.AppendToOutgoingContext(t.Context(), "authorization", token), conn, component)
		assert.Equal(t, want, status.Code(err), "token %q", token)
	}
	_, err := ask(t.Context(), conn, component)
	assert.Equal(t, codes.Unauthenticated, status.Code(err), "no token at all")
	assert.Len(t, s.Calls(), 5, "refused calls are recorded")
}

func TestALPN(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		server, client []string
		selected       string
		fails          bool
	}{
		"both offered":    {[]string{lpstest.ALPN, "h2"}, []string{lpstest.ALPN, "h2"}, lpstest.ALPN, false},
		"order of client": {[]string{lpstest.ALPN, "h2"}, []string{"h2", lpstest.ALPN}, lpstest.ALPN, false},
		"only h2":         {[]string{"h2"}, []string{lpstest.ALPN, "h2"}, "h2", false},
		"none selected":   {nil, []string{lpstest.ALPN, "h2"}, "", false},
		"none offered":    {[]string{lpstest.ALPN, "h2"}, nil, "", false},
		"nothing common":  {[]string{lpstest.ALPN, "h2"}, []string{"http/1.1"}, "", false},
		"strangers":       {[]string{"spdy/3"}, []string{lpstest.ALPN, "h2"}, "", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lpstest.Start(t, lpstest.WithALPN(tt.server...))
			conn, err := tls.Dial("tcp", s.Addr(), clientTLS(s.CA(), tt.client...))
			if err == nil {
				defer conn.Close()
				assert.Equal(t, tt.selected, conn.ConnectionState().NegotiatedProtocol)
			}
			assert.Equal(t, tt.fails, err != nil, "error: %v", err)
			h := onlyHandshake(t, s.Handshakes)
			assert.Equal(t, tt.client, h.Offered)
			assert.Equal(t, tt.selected, h.Selected)
			assert.Equal(t, tt.fails, h.Err != nil, "error on the server: %v", h.Err)
		})
	}
}

// onlyHandshake waits for the record of the only handshake.
func onlyHandshake(t *testing.T, handshakes func() []lpstest.Handshake) lpstest.Handshake {
	t.Helper()
	require.Eventually(t, func() bool { return len(handshakes()) == 1 }, patience, time.Millisecond)
	return handshakes()[0]
}

func TestTLSVersions(t *testing.T) {
	t.Parallel()
	s := lpstest.Start(t, lpstest.WithTLSVersions(tls.VersionTLS12, tls.VersionTLS12))
	conn, err := tls.Dial("tcp", s.Addr(), clientTLS(s.CA(), "h2"))
	require.NoError(t, err)
	defer conn.Close()
	assert.Equal(t, uint16(tls.VersionTLS12), conn.ConnectionState().Version)

	only13 := clientTLS(s.CA(), "h2")
	only13.MinVersion = tls.VersionTLS13
	_, err = tls.Dial("tcp", s.Addr(), only13)
	assert.ErrorContains(t, err, "protocol version")
}

func TestSessionsResume(t *testing.T) {
	t.Parallel()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			s := lpstest.Start(t, lpstest.WithTLSVersions(version, version))
			s.Serve(component, "{}")
			config := clientTLS(s.CA(), "h2")
			config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
			for i := range 2 {
				conn, err := tls.Dial("tcp", s.Addr(), config)
				require.NoError(t, err)
				_, err = conn.Read(make([]byte, 1)) // the server's SETTINGS, after the ticket of TLS 1.3
				require.NoError(t, err)
				assert.Equal(t, i == 1, conn.ConnectionState().DidResume)
				require.NoError(t, conn.Close())
			}
			h := s.Handshakes()
			require.Len(t, h, 2)
			assert.True(t, h[1].Resumed)
		})
	}
}

func TestClientAlertIsRecorded(t *testing.T) {
	t.Parallel()
	s := lpstest.Start(t)
	stranger, err := lpstest.NewCA(lpstest.WithSubject("stranger"))
	require.NoError(t, err)
	_, err = tls.Dial("tcp", s.Addr(), clientTLS(stranger, "h2"))
	require.Error(t, err)
	assert.ErrorContains(t, onlyHandshake(t, s.Handshakes).Err, "bad certificate")
	assert.Empty(t, s.Calls())
}

func TestBufconn(t *testing.T) {
	t.Parallel()
	ln := bufconn.Listen(1 << 16)
	s := lpstest.Start(t, lpstest.WithListener(ln))
	s.Serve(component, "{}")
	conn := dial(t, s.Addr(), s.CA(), grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return ln.DialContext(ctx)
	}))
	_, err := ask(t.Context(), conn, component)
	require.NoError(t, err)
	s.Stop()
	assert.ErrorContains(t, s.Restart(), "cannot listen again")
}

func TestStopAndRestart(t *testing.T) {
	t.Parallel()
	s := lpstest.Start(t)
	s.Serve(component, "{}")
	conn := dial(t, s.Addr(), s.CA())
	_, err := ask(t.Context(), conn, component)
	require.NoError(t, err)

	s.Stop()
	s.Stop()
	_, err = ask(t.Context(), conn, component)
	assert.Equal(t, codes.Unavailable, status.Code(err))

	require.NoError(t, s.Restart())
	require.NoError(t, s.Restart(), "a server that is up stays up")
	_, err = ask(t.Context(), conn, component, grpc.WaitForReady(true))
	require.NoError(t, err)
	assert.Len(t, s.Calls(), 2)

	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.Error(t, s.Restart())
}

func TestCloseEndsWhatHangs(t *testing.T) {
	t.Parallel()
	s := lpstest.Start(t)
	s.Respond(lpstest.Reply{Hang: true})

	silent, err := net.Dial("tcp", s.Addr()) // never sends a client hello
	require.NoError(t, err)
	defer silent.Close()
	errs := make(chan error)
	go func() {
		_, err := ask(context.Background(), dial(t, s.Addr(), s.CA()), component)
		errs <- err
	}()
	require.Eventually(t, func() bool { return len(s.Calls()) == 1 && s.Conns() == 2 }, patience, time.Millisecond)

	began := time.Now()
	require.NoError(t, s.Close())
	assert.Less(t, time.Since(began), patience/2)
	assert.Equal(t, codes.Unavailable, status.Code(<-errs))
	require.Len(t, s.Handshakes(), 2)
	assert.Error(t, s.Handshakes()[1].Err)
}

func TestOptionsAreNotIgnored(t *testing.T) {
	t.Parallel()
	ln := bufconn.Listen(1)
	defer ln.Close()
	for name, opts := range map[string][]lpstest.Option{
		"listener and address": {lpstest.WithListener(ln), lpstest.WithAddress("127.0.0.1:0")},
		"address in use":       {lpstest.WithAddress(lpstest.Start(t).Addr())},
		"settings":             {lpstest.WithoutSettings()},
	} {
		_, err := lpstest.New(opts...)
		assert.Error(t, err, name)
	}
}
