package https

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/internal/token"
	"github.com/bootpointer/bootpointer/transport"
)

// FuzzAnswer has a peer answer with any bytes, in HTTP/1.1 or HTTP/2: a document or a classified error comes out, in
// time, and nothing of the token with it.
func FuzzAnswer(f *testing.F) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}",
		"HTTP/1.0 200 OK\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
		"HTTP/1.1 401 " + testToken + "\r\n\r\nbad token " + testToken,
		"HTTP/1.1 302 Found\r\nLocation: /?t=" + testToken + "\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 503 Busy\r\nRetry-After: Fri, 31 Dec 2999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxxx",
		testToken + "\r\n\r\n", "HTTP/1.1 " + testToken, "", "\x00\x00\x00\x04\x00\x00\x00\x00\x00",
		"\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x05\x00\x00\x00\x01\x88\x00\x00\x02\x00\x01\x00\x00\x00\x01{}",
		"\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02",
	} {
		f.Add([]byte(answer), false)
		f.Add([]byte(answer), true)
	}
	f.Fuzz(func(t *testing.T, answer []byte, http2 bool) {
		s, err := newSession(t.Context(), pipe(answer), http2, DefaultServerName)
		require.NoError(t, err)
		s.secret = testToken
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		b, ctx, cancelBudget := front.NewBudget(ctx)
		defer cancelBudget()

		doc, pause, err := s.get(ctx, b, request)

		if err == nil {
			assert.Equal(t, DefaultComponent, doc.Component)
			assert.NotEmpty(t, doc.Body)
			assert.LessOrEqual(t, len(doc.Body), transport.MaxDocumentSize)
			assert.Equal(t, front.Never, pause)
			return
		}
		assert.Zero(t, doc)
		e, ok := errors.AsType[*transport.Error](err)
		require.True(t, ok)
		assert.NotEqual(t, transport.ReasonDeadline, e.Reason, "the peer is gone")
		if e.Class != transport.FallbackEligible {
			assert.Equal(t, front.Never, pause)
		}
		assert.Equal(t, e.Error(), token.Redact(e.Error(), testToken), "a piece of the token")
		assert.NotContains(t, e.Error(), "\n")
		assert.Less(t, len(e.Error()), 2*maxErrorText)
	})
}

// pipe returns a connection to a peer that answers the first bytes it reads, and closes.
func pipe(answer []byte) net.Conn {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		_, _ = server.Read(make([]byte, 1))
		go func() { _, _ = io.Copy(io.Discard, server) }()
		_, _ = server.Write(answer)
	}()
	return client
}
