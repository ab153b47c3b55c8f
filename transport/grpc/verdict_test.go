package grpc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// The same code, once in frames as the service's own grpc-status, once made up by the gRPC library from something else.
func TestSentOrMadeUp(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code            codes.Code
		madeUp          lpstest.Action
		sent, synthetic transport.Class
	}{
		"401":               {codes.Unauthenticated, lpstest.HTTPStatus(401, "text/html", ""), transport.Benign, transport.FallbackEligible},
		"403":               {codes.PermissionDenied, lpstest.HTTPStatus(403, "text/html", ""), transport.Benign, transport.FallbackEligible},
		"ENHANCE_YOUR_CALM": {codes.ResourceExhausted, lpstest.ResetStream(http2.ErrCodeEnhanceYourCalm), transport.Authoritative, transport.FallbackEligible},
		"INADEQUATE":        {codes.PermissionDenied, lpstest.ResetStream(http2.ErrCodeInadequateSecurity), transport.Benign, transport.FallbackEligible},
		"404":               {codes.NotFound, lpstest.HTTPStatus(404, "text/html", ""), transport.Benign, transport.FallbackEligible},
		"headers too large": {codes.InvalidArgument, lpstest.GRPCStatus(codes.InvalidArgument, strings.Repeat("x", maxHeaderList+1)), transport.Authoritative, transport.FallbackEligible},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for class, action := range map[transport.Class]lpstest.Action{
				tc.sent:      lpstest.GRPCStatus(tc.code, "verdict"),
				tc.synthetic: tc.madeUp,
			} {
				peer := lpstest.StartRawHTTP2(t)
				peer.Respond(action)
				tr := newTransport(t, peer.Addr(), peer.CA().Certificate(), transport.StaticToken(testToken))

				_, err := fetch(t, tr)

				assert.Equal(t, class, transport.ClassOf(err), "%v", err)
			}
		})
	}
}
