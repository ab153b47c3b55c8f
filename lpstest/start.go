package lpstest

import (
	"errors"
	"io"
)

// TB is what the Start functions need of a *testing.T, *testing.B or *testing.F.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Start is [New] for a test: it ends the test on an error, and closes the server when the test ends.
func Start(tb TB, opts ...Option) *Server {
	tb.Helper()
	s, err := New(opts...)
	return started(tb, s, err)
}

// started skips the test, where tb can, if the peer does not exist on this operating system.
func started[P io.Closer](tb TB, peer P, err error) P {
	tb.Helper()
	if skipper, ok := tb.(interface{ Skipf(string, ...any) }); ok && errors.Is(err, errors.ErrUnsupported) {
		skipper.Skipf("%v", err)
	}
	if err != nil {
		tb.Fatalf("%v", err)
	}
	tb.Cleanup(func() { _ = peer.Close() })
	return peer
}
