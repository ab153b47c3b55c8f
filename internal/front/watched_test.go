package front

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/transport"
)

func TestWatched(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]struct {
		reason transport.Reason
		code   string
		says   string
	}{
		"":                                 {transport.ReasonConnect, "", "closed the connection before it answered: EOF"},
		"SSH-2.0-OpenSSH":                  {transport.ReasonConnect, "", `began with "SSH-2.0-OpenSSH"`},
		"HTTP/1.1 502 Bad Gateway\r\nX: y": {transport.ReasonHTTPStatus, "502", `HTTP/1: "HTTP/1.1 502 Bad Gateway"`},
		"HTTP/1.0 MIIKzAYJKoZIhvcN":        {transport.ReasonHTTPStatus, "", "HTTP/1"},
	} {
		client, server := net.Pipe()
		go func() {
			_, _ = io.WriteString(server, sent)
			server.Close()
		}()
		w := Watch(client)
		_, err := io.ReadAll(w)
		require.NoError(t, err)

		e := w.PrefaceError()

		assert.Equal(t, want.reason, e.Reason, sent)
		assert.Equal(t, want.code, e.Code, sent)
		assert.ErrorContains(t, e, want.says)
		assert.Equal(t, want.reason == transport.ReasonHTTPStatus, w.SpeaksHTTP1(), sent)
		assert.Equal(t, io.EOF, w.ReadError())
		require.NoError(t, w.Close())
	}
}

func TestWatchedIsNotBlamedForItsOwner(t *testing.T) {
	t.Parallel()
	client, server := net.Pipe()
	defer server.Close()
	w := Watch(client)
	require.NoError(t, w.Close())
	_, err := w.Read(make([]byte, 1))
	require.Error(t, err)
	assert.NoError(t, w.ReadError())
}

func TestStatusOfLine(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "502", statusOfLine("HTTP/1.1 502 Bad Gateway"))
	assert.Empty(t, statusOfLine("HTTP/1.1 5"))
	assert.Empty(t, statusOfLine("HTTP/1.1 x\toutcome=lpsRead"))
	assert.Equal(t, "502", statusOfLine("HTTP/1.1 502\toutcome=lpsRead"))
}
