package front

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/bootpointer/bootpointer/transport"
)

// maxFirst is how much of a peer's first bytes is kept: a status line.
const maxFirst = 80

// ErrConnectionLost is what became of a connection that ended before its time.
var ErrConnectionLost = errors.New("the peer closed the connection before it answered")

// Watched is a connection that remembers how reading began and ended, which HTTP/2 libraries keep to themselves.
type Watched struct {
	net.Conn

	mu     sync.Mutex
	first  []byte // of the first read, at most maxFirst bytes
	err    error  // of the first read that failed
	closed bool
}

// Watch returns conn, watched.
func Watch(conn net.Conn) *Watched { return &Watched{Conn: conn} }

// Read reads and remembers.
func (w *Watched) Read(p []byte) (int, error) {
	n, err := guard(w.Conn.Read, p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.first) == 0 && n > 0 {
		w.first = append(w.first, p[:min(n, maxFirst)]...)
	}
	if w.err == nil && !w.closed {
		w.err = err
	}
	return n, err
}

// Write writes.
func (w *Watched) Write(p []byte) (int, error) { return guard(w.Conn.Write, p) }

// guard turns a panic in the connection of a host's dialer into an error: a library's goroutines would not.
func guard(do func([]byte) (int, error), p []byte) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do(p)
}

// Close closes the connection. What reading says after that is our own doing, and forgotten.
func (w *Watched) Close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	return w.Conn.Close()
}

// ReadError returns how the peer ended, and nil as long as it has not.
func (w *Watched) ReadError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// SpeaksHTTP1 reports whether the peer's first bytes are an answer in HTTP/1.
func (w *Watched) SpeaksHTTP1() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.HasPrefix(string(w.first), "HTTP/1.")
}

// PrefaceError says why HTTP/2 did not come about. It quotes the peer.
func (w *Watched) PrefaceError() *transport.Error {
	e := &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect,
		Op: "HTTP/2 with " + w.RemoteAddr().String(), Err: ErrConnectionLost}
	http1 := w.SpeaksHTTP1()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case http1:
		line, _, _ := strings.Cut(string(w.first), "\r\n")
		e.Reason, e.Code = transport.ReasonHTTPStatus, statusOfLine(line)
		e.Err = fmt.Errorf("the peer speaks HTTP/1: %q", line)
	case len(w.first) > 0 && !beginsWithSettings(w.first):
		e.Err = fmt.Errorf("the peer does not speak HTTP/2, it began with %q", w.first)
	case w.err == nil: // closed on our side, by a library that was sent GOAWAY
		e.Err = fmt.Errorf("%w: GOAWAY or %w", ErrConnectionLost, io.EOF)
	default:
		e.Err = fmt.Errorf("%w: %w", ErrConnectionLost, w.err)
	}
	return e
}

// beginsWithSettings reports whether the first bytes of a peer are the head of a SETTINGS frame on stream 0 (RFC 9113).
func beginsWithSettings(b []byte) bool {
	const typeSettings = 4
	return len(b) >= 9 && b[3] == typeSettings && bytes.Equal(b[5:9], make([]byte, 4))
}

// statusOfLine returns the status of "HTTP/1.1 502 Bad Gateway", and "" for what is no status.
func statusOfLine(line string) string {
	_, rest, _ := strings.Cut(line, " ")
	if len(rest) < 3 || strings.Trim(rest[:3], "0123456789") != "" {
		return ""
	}
	return rest[:3]
}
