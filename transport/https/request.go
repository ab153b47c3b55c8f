package https

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer/internal/dial"
	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/internal/httpanswer"
	"github.com/bootpointer/bootpointer/internal/token"
	"github.com/bootpointer/bootpointer/transport"
)

// path is where the service has its document.
const path = "/v1/anc-hotfix"

// serviceURL returns the address of the document on the host of that name.
func serviceURL(name string) string { return "https://" + front.Authority(name) + path }

// maxErrorText is how much of an error's text is kept, in bytes, where a server had a say in it.
const maxErrorText = 512

// get asks for the document, and closes the connection. pause is what to wait before the same request may be made once
// more; [front.Never] is the rule.
func (s *session) get(ctx context.Context, b front.Budget, req transport.Request) (doc transport.Document, pause time.Duration, err error) {
	ctx, cancel := b.ForCall(ctx)
	defer cancel()
	defer s.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return doc, front.Never, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConfig, Op: s.op, Err: err}
	}
	r.Close = true // what comes after the answer is not read
	r.Header.Set("Authorization", s.secret)
	r.Header.Set("User-Agent", front.UserAgent)
	resp, err := s.RoundTrip(r)
	if err != nil {
		pause, err = s.broken(ctx, err)
		return doc, pause, err
	}
	defer resp.Body.Close()
	// When our time is up we hang up, and net/http may still read what the peer answers to that. It is no answer to us.
	if ctx.Err() != nil {
		pause, err = s.broken(ctx, ctx.Err())
		return doc, pause, err
	}
	if resp.StatusCode != http.StatusOK {
		v := verdictOf(resp.StatusCode)
		return doc, v.pause(resp.Header), s.refused(resp, v, cancel)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, transport.MaxDocumentSize+1))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		pause, err = s.broken(ctx, err)
		return doc, pause, err
	}
	doc, err = s.document(body, req)
	return doc, front.Never, err
}

// document is the answer in the body of a 200.
func (s *session) document(body []byte, req transport.Request) (transport.Document, error) {
	code := strconv.Itoa(http.StatusOK)
	e := &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonMalformed, Op: s.op, Code: code}
	switch {
	case len(body) == 0:
		e.Class, e.Reason = transport.Benign, transport.ReasonEmpty
		e.Err = errors.New("the service has an empty document for this node")
	case len(body) > transport.MaxDocumentSize:
		e.Err = fmt.Errorf("the document has more than the %d bytes that are allowed", transport.MaxDocumentSize)
	case token.Echoed(string(body), s.secret):
		// Nothing of it may be shown, in a warning or anywhere else, so none of it is used.
		e.Err = errors.New("the document has a part of the token in it")
	default:
		return transport.Document{Component: req.Component, Body: body, Code: code}, nil
	}
	return transport.Document{}, e
}

// refused is the error of an answer that is no 200, with its first words. cancel ends the request.
func (s *session) refused(resp *http.Response, v verdict, cancel context.CancelFunc) error {
	text := http.StatusText(resp.StatusCode)
	if text == "" {
		text = "a status that HTTP does not know"
	}
	if to := resp.Header.Get("Location"); to != "" {
		text += ", redirect not followed to " + token.Quote(to, s.secret, maxErrorText)
	}
	if words := httpanswer.FirstWords(resp, cancel, s.secret); words != "" {
		text += ": " + words
	}
	return &transport.Error{Class: v.class, Reason: v.reason, Op: s.op, Code: strconv.Itoa(resp.StatusCode), Err: errors.New(text)}
}

// broken classifies a request that got no answer, or half of one. ctx is the request's. Only a lost connection is worth
// a pause and another request.
func (s *session) broken(ctx context.Context, err error) (pause time.Duration, _ error) {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return front.Never, transport.ContextError(ctx, s.op)
	case ctx.Err() != nil:
		return front.Never, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonDeadline, Op: s.op,
			Err: fmt.Errorf("the peer took the request and sent no whole answer: %w", ctx.Err())}
	case s.http2 && s.peer.SpeaksHTTP1():
		e := s.peer.PrefaceError()
		e.Err = showable(e.Err, s.secret)
		return front.Never, e
	}
	pause = front.Never
	if s.lost(err) {
		pause = front.Jitter()
	}
	// net/http has errors without a cause; the connection knows it.
	if end := s.peer.ReadError(); dial.Lost(end) && !errors.Is(err, end) {
		err = fmt.Errorf("%w: %w", err, end)
	}
	return pause, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect, Op: s.op, Err: showable(err, s.secret)}
}

// lost reports whether the connection was lost before the whole answer was there, or the peer took leave of it in HTTP/2,
// for which net/http has no type.
func (s *session) lost(err error) bool {
	return dial.Lost(err) || dial.Lost(s.peer.ReadError()) || strings.Contains(err.Error(), "GOAWAY")
}

// showable returns err, or only its text made fit to show where it quotes what a peer sent.
func showable(err error, secret string) error {
	if text := token.Quote(err.Error(), secret, maxErrorText); text != err.Error() {
		return errors.New(text)
	}
	return err
}
