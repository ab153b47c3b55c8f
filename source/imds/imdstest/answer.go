package imdstest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// documentPath is the one path that the fake knows.
const documentPath = "/metadata/attested/document"

var apiVersion = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// refusal returns the answer to a request that the real service does not serve.
func refusal(r *http.Request) (Reply, bool) {
	bad := func(why string) (Reply, bool) {
		body, _ := json.Marshal(map[string]string{"error": "Bad request. " + why})
		return Reply{Status: http.StatusBadRequest, Header: jsonHeader(), Body: body}, true
	}
	switch {
	case !strings.EqualFold(r.Header.Get("Metadata"), "true"):
		return bad("Required metadata header not specified")
	case len(r.Header.Values("X-Forwarded-For")) > 0:
		return bad("Forwarded requests are not served")
	case r.URL.Path != documentPath:
		return Status(http.StatusNotFound), true
	case r.Method != http.MethodGet:
		return Status(http.StatusMethodNotAllowed), true
	case !apiVersion.MatchString(r.URL.Query().Get("api-version")):
		return bad("api-version was not specified in the request, or is not supported")
	}
	return Reply{}, false
}

// send carries out a reply.
func (s *Server) send(w http.ResponseWriter, r *http.Request, reply Reply) {
	switch {
	case !sleep(r.Context(), reply.Delay):
		panic(http.ErrAbortHandler)
	case reply.Hang:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case reply.Drop:
		reset(w)
		return
	}
	status, body := reply.Status, reply.Body
	if status == 0 {
		status = http.StatusOK
	}
	if status == http.StatusOK && body == nil {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		body, _ = json.Marshal(map[string]string{"encoding": "pkcs7", "signature": s.signature})
	}
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	size := int64(len(body)) + reply.Fill
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	w.WriteHeader(status)
	content := io.MultiReader(bytes.NewReader(body), io.LimitReader(filler{}, reply.Fill))
	if reply.Cut {
		_, _ = io.CopyN(w, content, size/2)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = io.Copy(w, content)
}

// sleep returns false when the connection was closed first, by the client or the server.
func sleep(ctx context.Context, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// reset closes the connection with a TCP reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// filler is an endless run of "A".
type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'A'
	}
	return len(p), nil
}
