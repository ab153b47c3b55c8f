package grpc

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

func waitForCalls(t *testing.T, lps *lpstest.Server, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(lps.Calls()) == n }, 20*time.Second, time.Millisecond)
}

// A session that has become too old is replaced, and the call under way on it goes on.
func TestSessionIsReplacedUnderACall(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Config: document, Delay: time.Second}, lpstest.Reply{Config: document})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := fetch(t, tr)
		assert.NoError(t, err)
	})
	waitForCalls(t, lps, 1)
	tr.mu.Lock()
	tr.current.born = time.Now().Add(-maxSessionAge)
	tr.mu.Unlock()

	_, err := fetch(t, tr)

	require.NoError(t, err)
	wg.Wait()
	assert.Len(t, lps.Calls(), 2, "nothing was repeated")
	assert.Equal(t, 2, lps.Conns())
}

func TestCloseDuringACall(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Hang: true})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
	time.AfterFunc(300*time.Millisecond, func() { tr.Close() })

	_, err := fetch(t, tr)

	assert.Equal(t, transport.FallbackEligible, transport.ClassOf(err), "%v", err)
}

func TestCloseDuringSetUp(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Serve(component, document)
	var tr *Transport
	tr = newTransport(t, lps.Addr(), lps.CA().Certificate(), tokenFunc(func(context.Context) (string, error) {
		assert.NoError(t, tr.Close())
		return testToken, nil
	}))

	_, err := fetch(t, tr)

	require.ErrorIs(t, err, errClosed)
	assert.Nil(t, tr.current, "no connection is left open after Close")
}

// Fetches that wait for the set-up of another one say what went wrong there.
func TestWaitingFetchesShareTheReason(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	tokens := 0
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), tokenFunc(func(ctx context.Context) (string, error) {
		tokens++
		<-ctx.Done()
		return "", ctx.Err()
	}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			_, err := tr.Fetch(ctx, request)
			requireError(t, err, transport.FallbackEligible, transport.ReasonIdentity)
		})
	}
	wg.Wait()
	assert.Equal(t, 1, tokens)
}

// The leader of a set-up is cancelled by its own caller: that is no answer for the others.
func TestWaitingFetchOutlivesACancelledLeader(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Serve(component, document)
	asked := make(chan struct{}, 2)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), tokenFunc(func(ctx context.Context) (string, error) {
		asked <- struct{}{}
		if len(asked) == 1 {
			<-ctx.Done()
			return "", ctx.Err()
		}
		return testToken, nil
	}))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := tr.Fetch(ctx, request)
		requireError(t, err, transport.Authoritative, transport.ReasonCanceled)
	})
	require.Eventually(t, func() bool { return len(asked) == 1 }, 20*time.Second, time.Millisecond)
	time.AfterFunc(100*time.Millisecond, cancel)

	_, err := fetch(t, tr)

	require.NoError(t, err)
	wg.Wait()
}

// An open session is used also when the time for setting one up is over: the retry of a call that began late.
func TestOpenSessionAfterSetUpTime(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Serve(component, document)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
	_, err := fetch(t, tr)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Millisecond)
	defer cancel()
	b, ctx, cancelBudget := front.NewBudget(ctx)
	defer cancelBudget()
	<-ctx.Done()

	s, err := tr.acquire(ctx, b, new(front.Retry))

	require.NoError(t, err)
	tr.release(s)
}

func TestRetryThatCannotConnectKeepsTheFirstCause(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Code: codes.Unavailable, Message: "database down"})
	dials, first := 0, make(chan net.Conn, 1)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken),
		WithDialer(func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials++; dials > 1 {
				return nil, errors.New("no more")
			}
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			first <- conn
			return conn, err
		}), WithLogger(slog.New(onRetry{func() { (<-first).Close() }})))

	_, err := fetch(t, tr)

	e := requireError(t, err, transport.FallbackEligible, transport.ReasonStatus)
	assert.Equal(t, "Unavailable", e.Code)
	assert.ErrorContains(t, err, "database down")
}

// onRetry is a log handler that does something when a fetch is about to repeat its call.
type onRetry struct{ do func() }

func (onRetry) Enabled(context.Context, slog.Level) bool { return true }
func (h onRetry) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h onRetry) WithGroup(string) slog.Handler          { return h }
func (h onRetry) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "calling once more" {
		h.do()
		time.Sleep(100 * time.Millisecond) // the library notices meanwhile; if not, the call fails for the same reason
	}
	return nil
}

// Two requests at most, also when the library would repeat a refused stream by itself.
func TestTwoRequestsAtMost(t *testing.T) {
	t.Parallel()
	peer := lpstest.StartRawHTTP2(t)
	peer.Respond(lpstest.GRPCStatus(codes.Unavailable, "down"), lpstest.ResetStream(http2.ErrCodeRefusedStream))
	tr := newTransport(t, peer.Addr(), peer.CA().Certificate(), transport.StaticToken(testToken))

	_, err := fetch(t, tr)

	assert.Equal(t, transport.FallbackEligible, transport.ClassOf(err))
	assert.Len(t, peer.Requests(), 2)
}

func TestOKWithoutMessage(t *testing.T) {
	t.Parallel()
	peer := lpstest.StartRawHTTP2(t)
	peer.Respond(lpstest.GRPCStatus(codes.OK, ""))
	tr := newTransport(t, peer.Addr(), peer.CA().Certificate(), transport.StaticToken(testToken))

	_, err := fetch(t, tr)

	requireError(t, err, transport.Authoritative, transport.ReasonMalformed)
	assert.ErrorContains(t, err, "without a message")
}

// A front that restarts: the first connection ends right after its SETTINGS, with GOAWAY or without, the second is fine.
func TestFrontRestartsAfterSettings(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*http2.Framer) error{
		"close":  func(*http2.Framer) error { return nil },
		"GOAWAY": func(f *http2.Framer) error { return f.WriteGoAway(0, http2.ErrCodeNo, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.Start(t)
			lps.Serve(component, document)
			restarting := settingsThen(t, lps.CA(), end)
			dials := 0
			tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken),
				WithDialer(func(ctx context.Context, network, address string) (net.Conn, error) {
					if dials++; dials == 1 {
						address = restarting
					}
					return new(net.Dialer).DialContext(ctx, network, address)
				}))

			_, err := fetch(t, tr)

			require.NoError(t, err)
			assert.Equal(t, 2, dials)
		})
	}
}

// settingsThen is a peer that sends SETTINGS and what end writes in one record, and closes the connection.
func settingsThen(t *testing.T, ca *lpstest.CA, end func(*http2.Framer) error) string {
	t.Helper()
	cert, err := ca.Issue()
	require.NoError(t, err)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}})
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		w := writeOnce{conn: conn}
		f := http2.NewFramer(&w, nil)
		if f.WriteSettings() == nil && end(f) == nil {
			w.flush()
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
	return ln.Addr().String()
}

// writeOnce keeps what is written for one write.
type writeOnce struct {
	conn net.Conn
	b    []byte
}

func (w *writeOnce) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}

func (w *writeOnce) flush() { w.conn.Write(w.b) }

// panicking is a connection of a host's dialer that works until it panics, on a goroutine of the gRPC library.
type panicking struct {
	net.Conn
	armed atomic.Bool
}

func (p *panicking) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if p.armed.Load() {
		panic("boom")
	}
	return n, err
}

func TestR3PanicInAConnection(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Config: document, Delay: 300 * time.Millisecond})
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken),
		WithDialer(func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			p := &panicking{Conn: conn}
			time.AfterFunc(100*time.Millisecond, func() { p.armed.Store(true) })
			return p, err
		}))

	_, err := fetch(t, tr)

	assert.Equal(t, transport.FallbackEligible, transport.ClassOf(err), "%v", err)
}

// The one retry is for connection and call together.
func TestOneRetryInAll(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Code: codes.Unavailable})
	dials := 0
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken),
		WithDialer(func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials++; dials == 1 {
				return nil, syscall.ECONNREFUSED
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}))

	_, err := fetch(t, tr)

	requireError(t, err, transport.FallbackEligible, transport.ReasonStatus)
	assert.Equal(t, 2, dials)
	assert.Len(t, lps.Calls(), 1)
}
