package grpc

import (
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	transporttest.Run(t, transporttest.Harness{Component: component, New: inSituation})
}

// inSituation returns a transport for a service in situation s.
func inSituation(t *testing.T, s transporttest.Situation, body []byte) transport.Transport {
	lps := lpstest.Start(t)
	switch s {
	case transporttest.Serving, transporttest.TooLarge:
		lps.Serve(component, string(body))
	case transporttest.OtherComponent:
		lps.Respond(lpstest.Reply{Component: "localDNS", Config: string(body)})
	case transporttest.Nothing:
		lps.Respond(lpstest.Reply{Code: codes.NotFound})
	case transporttest.Down:
		lps.Stop()
	case transporttest.Silent:
		lps.Respond(lpstest.Reply{Hang: true})
	}
	return newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))
}
