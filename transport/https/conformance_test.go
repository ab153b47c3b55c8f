package https

import (
	"testing"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, proto := range []string{"h2", "http/1.1"} {
		t.Run(proto, func(t *testing.T) {
			t.Parallel()
			transporttest.Run(t, transporttest.Harness{Component: DefaultComponent, New: inSituation(proto)})
		})
	}
}

// inSituation makes transports for a service in a situation. Its answer does not name a component, so that it cannot be
// for another one.
func inSituation(proto string) func(t *testing.T, s transporttest.Situation, body []byte) transport.Transport {
	return func(t *testing.T, s transporttest.Situation, body []byte) transport.Transport {
		lps := lpstest.StartHTTPS(t, lpstest.WithALPN(proto))
		switch s {
		case transporttest.Serving, transporttest.TooLarge:
			lps.Serve(string(body))
		case transporttest.OtherComponent:
			return nil
		case transporttest.Down:
			lps.Close()
		case transporttest.Silent:
			lps.Respond(lpstest.HTTPSReply{Hang: true})
		}
		return newTransport(t, lps, transport.StaticToken(testToken))
	}
}
