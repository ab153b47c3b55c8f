package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/bootpointer/bootpointer/internal/httpanswer"
	"github.com/bootpointer/bootpointer/transport"
)

// askMetadata gets the token, in the time that a check has for it.
func (p *run) askMetadata(ctx context.Context) (l Layer) {
	l = p.begin(LayerMetadata, "")
	defer p.end(ctx, &l)
	l.Tried = "get the attested document of " + p.Metadata
	limited, cancel := context.WithTimeout(ctx, metadataTime(p.share, len(p.Transports)))
	defer cancel()
	secret, err := p.Tokens.Token(limited)
	if err != nil {
		l.fail(string(transport.ReasonIdentity), metadataHint(err), err.Error())
		if answer, ok := errors.AsType[*httpanswer.StatusError](err); ok {
			l.Code = strconv.Itoa(answer.Code)
		}
		return l
	}
	p.secret = secret
	l.Code = strconv.Itoa(http.StatusOK)
	l.detail("signature_bytes", len(secret))
	result := fmt.Sprintf("a signature of %d bytes", len(secret))
	created, expires, ok := documentTimes(secret)
	if !ok {
		l.ok(result)
		return l
	}
	l.detail("document_created", created.UTC().Format(time.RFC3339))
	l.detail("document_expires", expires.UTC().Format(time.RFC3339))
	result += ", valid until " + expires.UTC().Format(time.DateTime) + " UTC"
	if now := time.Now(); now.After(expires) || now.Before(created) {
		l.warn(result + ", which is not now by this node's clock")
		return l
	}
	l.ok(result)
	return l
}

func metadataHint(err error) string {
	answer, answered := errors.AsType[*httpanswer.StatusError](err)
	_, network := errors.AsType[*net.OpError](err)
	switch {
	case answered && answer.Code >= 300 && answer.Code < 400:
		return "redirect"
	case answered && answer.Code == http.StatusTooManyRequests:
		return "throttled"
	case answered && (answer.Code >= 500 || answer.Code == http.StatusNotFound || answer.Code == http.StatusGone):
		return "down"
	case answered:
		return "refused"
	case errors.Is(err, context.DeadlineExceeded):
		return "silent"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case network:
		return "unreachable"
	}
	return "no-document"
}
