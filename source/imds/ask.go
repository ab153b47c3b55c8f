package imds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/bootpointer/bootpointer/internal/httpanswer"
)

// maxBody bounds the body of an answer, 80 times the largest real one.
const maxBody = 1 << 20

// failure is why one try gave no token.
type failure struct {
	err        error
	again      bool          // another try may do better
	retryAfter time.Duration // what the service asked to wait
}

// ask sends one request. It uses the transport without an [http.Client], so there is nobody to follow a redirect.
func (s *Source) ask(ctx context.Context) (string, *failure) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return "", &failure{err: err}
	}
	req.Header.Set("Metadata", "true")
	resp, err := s.transport.RoundTrip(req)
	if err != nil {
		return "", &failure{err: broken(ctx, err), again: true}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return "", refused(resp, cancel)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return "", &failure{err: broken(ctx, err), again: true}
	}
	value, err := signature(body)
	if err != nil {
		return "", &failure{err: err}
	}
	return value, nil
}

// broken says why the exchange broke off, in the words of the network and the context only. The HTTP parser quotes
// what it does not understand, which may be the signature.
func broken(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("no answer yet: %w", ended)
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("connection closed before the end of the answer")
	}
	return errors.New("no HTTP in the answer")
}

// refused turns an answer that is no 200 into a failure. cancel ends the request, and with it the body.
func refused(resp *http.Response, cancel context.CancelFunc) *failure {
	status := &httpanswer.StatusError{Code: resp.StatusCode}
	f := &failure{err: status}
	if resp.StatusCode < 300 { // a document with the wrong status is still not quoted
		return f
	}
	status.Words = httpanswer.FirstWords(resp, cancel, "")
	if mayChange(resp.StatusCode) {
		f.again, f.retryAfter = true, httpanswer.RetryAfter(resp.Header)
	}
	return f
}

// mayChange reports whether IMDS answers with status while it is starting, updating or throttling.
func mayChange(status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusGone, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}
