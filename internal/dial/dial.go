package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/bootpointer/bootpointer/transport"
)

// ContextDialer opens the TCP connection; [net.Dialer.DialContext] is one.
type ContextDialer func(ctx context.Context, network, address string) (net.Conn, error)

// Config says where to connect and what to insist on.
type Config struct {
	// Address is the host:port to dial. A name in it is resolved by the dialer.
	Address string
	// SNI is the name sent to the server. An IP literal is not sent.
	SNI string
	// Dial opens the TCP connection. It is never nil.
	Dial ContextDialer
	// Verify says what the peer has to prove.
	Verify Verification
	// MinVersion is the lowest TLS version, tls.VersionTLS12 or tls.VersionTLS13.
	MinVersion uint16
	// Observe, where it is set, is told what the peer presented, before that is judged.
	Observe func(tls.ConnectionState)
}

// TLS connects and returns the connection when the peer has proven all that cfg asks for.
func TLS(ctx context.Context, cfg Config) (*tls.Conn, error) {
	if len(cfg.Verify.CAs) == 0 {
		return nil, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConfig,
			Err: errors.New("no CA certificate to verify the front with")}
	}
	raw, err := cfg.Dial(ctx, "tcp", cfg.Address)
	if err != nil {
		return nil, dialError(ctx, cfg.Address, err)
	}
	conn := tls.Client(raw, &tls.Config{
		ServerName: cfg.SNI,
		NextProtos: cfg.Verify.ALPN,
		MinVersion: cfg.MinVersion,
		// The standard check would compare the certificate with the SNI. VerifyConnection does all of it, against
		// the pinned name, and runs on resumed connections too.
		InsecureSkipVerify: true,
		VerifyConnection:   cfg.verify,
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, handshakeError(ctx, raw.RemoteAddr(), cfg.SNI, err)
	}
	return conn, nil
}

func (cfg Config) verify(cs tls.ConnectionState) error {
	if cfg.Observe != nil {
		cfg.Observe(cs)
	}
	return cfg.Verify.check(cs)
}

func dialError(ctx context.Context, address string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return transport.ContextError(ctx, "dial "+address)
	}
	reason := transport.ReasonConnect
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		reason = transport.ReasonDNS
	}
	return &transport.Error{Class: transport.FallbackEligible, Reason: reason, Op: "dial " + address, Err: err}
}

func handshakeError(ctx context.Context, peer net.Addr, sni string, err error) error {
	op := fmt.Sprintf("TLS handshake with %s (SNI %s)", peer, sni)
	if e, ok := errors.AsType[*transport.Error](err); ok {
		e.Op = op
		return e
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonDeadline, Op: op,
			Err: fmt.Errorf("TCP is connected, the peer does not answer the handshake: %w", err)}
	case ctx.Err() != nil:
		return transport.ContextError(ctx, op)
	}
	reason := transport.ReasonTLS
	switch {
	case isALPN(err):
		reason = transport.ReasonALPN
	case Lost(err):
		reason, err = transport.ReasonConnect, fmt.Errorf("the peer closed the connection in the handshake: %w", err)
	}
	return &transport.Error{Class: transport.FallbackEligible, Reason: reason, Op: op, Err: err}
}

// isALPN recognises a server that speaks none of the protocols offered, or selects another. crypto/tls has no
// exported type for either.
func isALPN(err error) bool {
	return strings.Contains(err.Error(), "no application protocol") || strings.Contains(err.Error(), "unadvertised ALPN")
}

// Retryable reports whether dialling again soon may help: the connection was [Lost], or the host could not be
// reached. A name that does not exist, a certificate or a time-out is not cured by asking again.
func Retryable(err error) bool {
	e, ok := errors.AsType[*transport.Error](err)
	return ok && e.Reason == transport.ReasonConnect && (Lost(err) || errors.Is(err, syscall.EHOSTUNREACH))
}

// Lost reports whether err says that a connection was refused, reset or closed.
func Lost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// NoRoute reports whether nothing could leave the node because its network is not up yet. A resolver's error has the
// cause in its text only.
func NoRoute(err error) bool {
	return err != nil && strings.Contains(err.Error(), syscall.ENETUNREACH.Error())
}
