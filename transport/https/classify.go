package https

import (
	"net/http"
	"time"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/internal/httpanswer"
	"github.com/bootpointer/bootpointer/transport"
)

// verdict is what a status other than 200 means.
type verdict struct {
	class  transport.Class
	reason transport.Reason
	again  bool // the same request may be made once more
}

// verdictOf is the table of that.
func verdictOf(status int) verdict {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound:
		return verdict{class: transport.Benign, reason: transport.ReasonStatus}
	case 400 <= status && status <= 499:
		return verdict{class: transport.Authoritative, reason: transport.ReasonStatus}
	case status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return verdict{class: transport.FallbackEligible, reason: transport.ReasonHTTPStatus, again: true}
	default:
		return verdict{class: transport.FallbackEligible, reason: transport.ReasonHTTPStatus}
	}
}

// pause returns what to wait before the same request may be made once more. A wait that the service asks for is jittered
// too: it asks all nodes of a rack for the same.
func (v verdict) pause(h http.Header) time.Duration {
	if !v.again {
		return front.Never
	}
	return httpanswer.RetryAfter(h) + front.Jitter()
}
