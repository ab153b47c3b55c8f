package lpstest_test

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
)

// echo returns the address of a listener that sends back what it gets, and ends its half when the client did.
func echo(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return ln.Addr().String()
}

func dialRelay(t *testing.T, r *lpstest.Relay) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", r.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn.(*net.TCPConn)
}

func ping(t *testing.T, conn net.Conn) time.Duration {
	t.Helper()
	began := time.Now()
	_, err := conn.Write([]byte("x"))
	require.NoError(t, err)
	_, err = io.ReadFull(conn, make([]byte, 1))
	require.NoError(t, err)
	return time.Since(began)
}

func TestRelayDelaysBothWays(t *testing.T) {
	t.Parallel()
	const delay = 50 * time.Millisecond
	r := lpstest.StartRelay(t, echo(t), delay)
	conn := dialRelay(t, r)
	assert.GreaterOrEqual(t, ping(t, conn), 4*delay, "the TCP handshake, then a round trip")
	for range 3 {
		assert.GreaterOrEqual(t, ping(t, conn), 2*delay)
	}
	began := time.Now()
	require.NoError(t, conn.CloseWrite())
	_, err := conn.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
	assert.GreaterOrEqual(t, time.Since(began), 2*delay, "the end is delayed too")
	dialRelay(t, r)
	assert.Eventually(t, func() bool { return r.Conns() == 2 }, patience, time.Millisecond)
}

func TestRelayDoesNotLimitThroughput(t *testing.T) {
	t.Parallel()
	const size = 16 << 20
	r := lpstest.StartRelay(t, echo(t), 100*time.Millisecond)
	conn := dialRelay(t, r)
	began := time.Now()
	go func() {
		_, _ = conn.Write(make([]byte, size))
		_ = conn.CloseWrite()
	}()
	n, err := io.Copy(io.Discard, conn)
	require.NoError(t, err)
	assert.EqualValues(t, size, n)
	// One chunk per delay would take 512 times 100 ms.
	assert.Less(t, time.Since(began), 40*time.Second)
}

func TestRelayCutAndRestored(t *testing.T) {
	t.Parallel()
	r := lpstest.StartRelay(t, echo(t), 0)
	conn := dialRelay(t, r)
	ping(t, conn)

	r.Cut()
	r.Cut()
	_, err := conn.Write([]byte("kept"))
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	_, err = conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	r.Restore()
	r.Restore()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	got := make([]byte, 4)
	_, err = io.ReadFull(conn, got)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(got))

	r.Cut()
	_, err = conn.Write([]byte("lost"))
	require.NoError(t, err)
	require.NoError(t, r.Close(), "a cut line does not keep it open")
	require.NoError(t, r.Close())
}

func TestRelayWithoutTarget(t *testing.T) {
	t.Parallel()
	r := lpstest.StartRelay(t, lpstest.StartRefusing(t).Addr(), 0)
	conn := dialRelay(t, r)
	_, err := conn.Read(make([]byte, 1))
	require.Error(t, err)
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}

func TestRelayToServer(t *testing.T) {
	t.Parallel()
	s := lpstest.Start(t)
	s.Serve(component, "{}")
	r := lpstest.StartRelay(t, s.Addr(), 5*time.Millisecond)
	conn := dial(t, r.Addr(), s.CA())
	_, err := ask(t.Context(), conn, component)
	require.NoError(t, err)
	began := time.Now()
	_, err = ask(t.Context(), conn, component)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(began), 10*time.Millisecond)
}
