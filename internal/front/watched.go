package front

import (
	"errors"
	"fmt"
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
	err    error  // of the last read
	closed bool
}

// Watch returns conn, watched.
func Watch(conn net.Conn) *Watched { return &Watched{Conn: conn} }

// Read reads and remembers.
func (w *Watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.first) == 0 && n > 0 {
		w.first = append(w.first, p[:min(n, maxFirst)]...)
	}
	if err != nil && !w.closed {
		w.err = err
	}
	return n, err
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
	case len(w.first) > 0:
		e.Err = fmt.Errorf("the peer does not speak HTTP/2, it began with %q", w.first)
	case w.err != nil:
		e.Err = fmt.Errorf("%w: %w", ErrConnectionLost, w.err)
	}
	return e
}

// statusOfLine returns the status of "HTTP/1.1 502 Bad Gateway".
func statusOfLine(line string) string {
	_, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	return code
}
