package https

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// The statuses, as DESIGN has them, each from the service itself.
func TestClassifyStatuses(t *testing.T) {
	t.Parallel()
	const (
		benign        = transport.Benign
		authoritative = transport.Authoritative
		eligible      = transport.FallbackEligible
		verdict       = transport.ReasonStatus
		noVerdict     = transport.ReasonHTTPStatus
	)
	for status, want := range map[int]struct {
		class    transport.Class
		reason   transport.Reason
		requests int
	}{
		201: {eligible, noVerdict, 1}, 202: {eligible, noVerdict, 1}, 204: {eligible, noVerdict, 1}, 206: {eligible, noVerdict, 1},
		300: {eligible, noVerdict, 1}, 302: {eligible, noVerdict, 1}, 304: {eligible, noVerdict, 1}, 399: {eligible, noVerdict, 1},
		400: {authoritative, verdict, 1}, 401: {benign, verdict, 1}, 402: {authoritative, verdict, 1}, 403: {benign, verdict, 1},
		404: {benign, verdict, 1}, 405: {authoritative, verdict, 1}, 408: {authoritative, verdict, 1}, 410: {authoritative, verdict, 1},
		421: {authoritative, verdict, 1}, 429: {authoritative, verdict, 1}, 499: {authoritative, verdict, 1},
		500: {eligible, noVerdict, 1}, 501: {eligible, noVerdict, 1}, 502: {eligible, noVerdict, 2}, 503: {eligible, noVerdict, 2},
		504: {eligible, noVerdict, 2}, 505: {eligible, noVerdict, 1}, 599: {eligible, noVerdict, 1}, 999: {eligible, noVerdict, 1},
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			lps := lpstest.StartHTTPS(t)
			lps.Respond(lpstest.HTTPSReply{Status: status})

			_, err := fetch(t, newTransport(t, lps, transport.StaticToken(testToken)))

			e := requireError(t, err, want.class, want.reason)
			assert.Equal(t, fmt.Sprint(status), e.Code)
			assert.Len(t, lps.Requests(), want.requests)
		})
	}
}

func TestPausesAreJittered(t *testing.T) {
	t.Parallel()
	lowest, highest := front.MaxPause, front.MinPause
	for range 1000 {
		d := verdictOf(503).pause(nil)
		lowest, highest = min(lowest, d), max(highest, d)
	}
	assert.GreaterOrEqual(t, lowest, front.MinPause)
	assert.Less(t, highest, front.MaxPause)
	assert.Greater(t, highest-lowest, (front.MaxPause-front.MinPause)*9/10)
	assert.Negative(t, verdictOf(429).pause(nil))
}
