package lpstest

import (
	"errors"
	"io"
	"time"
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

// StartRawHTTP2 is [NewRawHTTP2] for a test.
func StartRawHTTP2(tb TB, opts ...Option) *RawHTTP2 {
	tb.Helper()
	s, err := NewRawHTTP2(opts...)
	return started(tb, s, err)
}

// StartImpostor is [NewImpostor] for a test.
func StartImpostor(tb TB, fqdn string, opts ...Option) *RawHTTP2 {
	tb.Helper()
	s, err := NewImpostor(fqdn, opts...)
	return started(tb, s, err)
}

// StartHTTP1 is [NewHTTP1] for a test.
func StartHTTP1(tb TB, opts ...Option) *HTTP1 {
	tb.Helper()
	p, err := NewHTTP1(opts...)
	return started(tb, p, err)
}

// StartHTTPS is [NewHTTPS] for a test.
func StartHTTPS(tb TB, opts ...Option) *HTTPS {
	tb.Helper()
	s, err := NewHTTPS(opts...)
	return started(tb, s, err)
}

// StartSilent is [NewSilent] for a test.
func StartSilent(tb TB, opts ...Option) *TCPPeer {
	tb.Helper()
	p, err := NewSilent(opts...)
	return started(tb, p, err)
}

// StartHangup is [NewHangup] for a test.
func StartHangup(tb TB, opts ...Option) *TCPPeer {
	tb.Helper()
	p, err := NewHangup(opts...)
	return started(tb, p, err)
}

// StartRefusing is [NewRefusing] for a test.
func StartRefusing(tb TB) *Refusing {
	tb.Helper()
	r, err := NewRefusing()
	return started(tb, r, err)
}

// StartSwallowing is [NewSwallowing] for a test. Where there is none, it skips the test.
func StartSwallowing(tb TB) *Swallowing {
	tb.Helper()
	s, err := NewSwallowing()
	return started(tb, s, err)
}

// StartDNS is [NewDNS] for a test.
func StartDNS(tb TB, answer DNSAnswer) *DNS {
	tb.Helper()
	d, err := NewDNS(answer)
	return started(tb, d, err)
}

// StartRelay is [NewRelay] for a test.
func StartRelay(tb TB, target string, delay time.Duration, opts ...Option) *Relay {
	tb.Helper()
	r, err := NewRelay(target, delay, opts...)
	return started(tb, r, err)
}
