package lpstest

import (
	"crypto/tls"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// HTTPSReply is one scripted answer of an [HTTPS]. The zero value is a 200 with an empty body.
type HTTPSReply struct {
	// Status is the HTTP status; 0 is 200.
	Status int
	// Header is added to the header of the answer, for example Retry-After or Location.
	Header http.Header
	// Body is the body, of any size.
	Body string
	// EchoToken appends the request's authorization to the body, as a server that says too much does.
	EchoToken bool

	// Delay is how long the service waits before it answers.
	Delay time.Duration
	// Hang keeps the request open without an answer until the client gives up or the service is closed.
	Hang bool
	// Reset resets the TCP connection after the delay, instead of an answer.
	Reset bool
	// Cut ends the answer in the middle of its body, and the connection with it.
	Cut bool
	// Stall sends half of the body, and nothing more until the client gives up or the service is closed.
	Stall bool
}

// HTTPSRedirect returns a 302 to url.
func HTTPSRedirect(url string) HTTPSReply {
	return HTTPSReply{Status: http.StatusFound, Header: http.Header{"Location": {url}}}
}

func (reply HTTPSReply) send(w http.ResponseWriter, r *http.Request, conn *tls.Conn) {
	if !reply.pause(r) {
		panic(http.ErrAbortHandler) // or the client would be answered after all
	}
	if reply.Reset {
		if raw, ok := conn.NetConn().(*portConn); ok {
			raw.reset()
		}
		return
	}
	body := reply.Body
	if reply.EchoToken {
		body += r.Header.Get("Authorization")
	}
	maps.Copy(w.Header(), reply.Header)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	if !reply.Cut && !reply.Stall {
		_, _ = io.WriteString(w, body)
		return
	}
	_, _ = io.WriteString(w, body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	if reply.Stall {
		<-r.Context().Done()
		return
	}
	_ = conn.Close()
}

// pause waits as long as the reply says. It returns false when the client or the service gave up first.
func (reply HTTPSReply) pause(r *http.Request) bool {
	if reply.Hang {
		<-r.Context().Done()
		return false
	}
	timer := time.NewTimer(reply.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
