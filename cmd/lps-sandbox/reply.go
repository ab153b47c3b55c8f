package main

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
)

// reply is one answer of the service, as it is over either protocol.
type reply struct {
	grpc  lpstest.Reply
	https lpstest.HTTPSReply
}

// tellGRPC says what an answer is.
func tellGRPC(r lpstest.Reply) string {
	switch {
	case r.Hang:
		return "no answer"
	case r.Reset:
		return "connection reset"
	case r.Code != codes.OK:
		return r.Code.String() + quoted(r.Message)
	}
	return after(r.Delay, "OK "+preview(r.Config))
}

// tellHTTPS says what an answer is.
func tellHTTPS(r lpstest.HTTPSReply) string {
	switch {
	case r.Hang:
		return "no answer"
	case r.Reset:
		return "connection reset"
	case r.Status != 0:
		return fmt.Sprint(r.Status, quoted(r.Body))
	}
	return after(r.Delay, "200 "+preview(r.Body))
}

func after(delay time.Duration, answer string) string {
	if delay == 0 {
		return answer
	}
	return fmt.Sprintf("%s, after %s", answer, delay)
}

func quoted(message string) string {
	if message == "" {
		return ""
	}
	return fmt.Sprintf(" %.80q", message)
}

// tellHandshake tells of handshakes that failed. After the others comes a request.
func tellHandshake(h lpstest.Handshake) (sighting, bool) {
	if h.Err == nil {
		return sighting{}, false
	}
	offered := h.Offered[:min(len(h.Offered), 8)]
	return sighting{time: h.Time, text: fmt.Sprintf("TLS handshake failed, SNI %.64q, ALPN %.32q: %.200s", h.SNI, offered, h.Err)}, true
}

// preview returns a document that is short and on one line, and the size of any other.
func preview(document string) string {
	oneLine := !strings.ContainsFunc(document, func(r rune) bool { return r < ' ' || r > '~' })
	if document != "" && oneLine && len(document) <= 100 {
		return document
	}
	return fmt.Sprintf("(%d bytes)", len(document))
}

// withToken says how much of a token came with a request. The token itself is never shown.
func withToken(token string) string {
	if token == "" {
		return ", no token"
	}
	return fmt.Sprintf(", token of %d bytes", len(token))
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
