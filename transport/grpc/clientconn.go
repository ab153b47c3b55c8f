package grpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

const (
	// maxReply is the largest message read in bytes: a document and room for the component's name around it.
	maxReply = transport.MaxDocumentSize + 4096
	// maxHeaderList is the largest header list read in bytes. It leaves room for a token of 12 KiB echoed in
	// grpc-message with every byte percent-encoded.
	maxHeaderList = 64 << 10
)

// newClientConn runs HTTP/2 over conn, which it owns from here on, and returns when the peer's SETTINGS are there.
// The client connection never dials again: what becomes of a lost connection is decided in [Transport.Fetch].
func newClientConn(ctx context.Context, conn *tls.Conn, authority string) (*grpc.ClientConn, error) {
	w := &watchedConn{Conn: conn}
	cc, err := grpc.NewClient("passthrough:///"+authority,
		grpc.WithContextDialer(w.handOver),
		grpc.WithTransportCredentials(verified{state: conn.ConnectionState()}),
		grpc.WithAuthority(authority),
		grpc.WithUserAgent(front.UserAgent),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithIdleTimeout(0),
		grpc.WithStatsHandler(verdictHandler{}),
		grpc.WithMaxHeaderListSize(maxHeaderList),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{}), grpc.MaxCallRecvMsgSize(maxReply)),
	)
	if err != nil {
		conn.Close()
		return nil, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConfig, Err: err}
	}
	cc.Connect()
	if err := waitReady(ctx, cc, w); err != nil {
		cc.Close()
		conn.Close()
		return nil, err
	}
	return cc, nil
}

func waitReady(ctx context.Context, cc *grpc.ClientConn, w *watchedConn) error {
	for state := cc.GetState(); state != connectivity.Ready; state = cc.GetState() {
		if state == connectivity.TransientFailure || w.lost() {
			return w.prefaceError()
		}
		if cc.WaitForStateChange(ctx, state) {
			continue
		}
		op := "HTTP/2 with " + w.RemoteAddr().String()
		if errors.Is(ctx.Err(), context.Canceled) {
			return transport.ContextError(ctx, op)
		}
		return &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonDeadline, Op: op,
			Err: fmt.Errorf("TLS is established, the peer sent no HTTP/2 SETTINGS: %w", ctx.Err())}
	}
	return nil
}

// watchedConn remembers how reading began and ended, which the gRPC library keeps to itself.
type watchedConn struct {
	*tls.Conn

	mu     sync.Mutex
	handed bool
	first  []byte // of the first read, at most maxFirst bytes
	err    error  // of the last read
}

// maxFirst is how much of a peer's first bytes is kept: a status line.
const maxFirst = 80

var errConnectionLost = errors.New("the peer closed the connection before it answered")

// handOver is the client connection's dialer. It gives conn away once.
func (w *watchedConn) handOver(context.Context, string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.handed {
		return nil, errConnectionLost
	}
	w.handed = true
	return w, nil
}

// Read reads and remembers.
func (w *watchedConn) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.first) == 0 && n > 0 {
		w.first = append(w.first, p[:min(n, maxFirst)]...)
	}
	if err != nil {
		w.err = err
	}
	return n, err
}

func (w *watchedConn) lost() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

// prefaceError says why HTTP/2 did not come about.
func (w *watchedConn) prefaceError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect,
		Op: "HTTP/2 with " + w.RemoteAddr().String(), Err: errConnectionLost}
	line, _, _ := strings.Cut(string(w.first), "\r\n")
	switch {
	case strings.HasPrefix(line, "HTTP/1."):
		e.Reason, e.Code = transport.ReasonHTTPStatus, statusOfLine(line)
		e.Err = fmt.Errorf("the peer speaks HTTP/1: %q", line)
	case len(w.first) > 0:
		e.Err = fmt.Errorf("the peer does not speak HTTP/2, it began with %q", w.first)
	case w.err != nil:
		e.Err = fmt.Errorf("%w: %w", errConnectionLost, w.err)
	}
	return e
}

// statusOfLine returns the status of "HTTP/1.1 502 Bad Gateway".
func statusOfLine(line string) string {
	_, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	return code
}

// verified are the transport credentials of a connection whose handshake is over.
type verified struct{ state tls.ConnectionState }

func (v verified) ClientHandshake(_ context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return conn, credentials.TLSInfo{
		State:          v.state,
		CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity},
	}, nil
}

func (verified) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("these credentials are a client's")
}

func (verified) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}
func (v verified) Clone() credentials.TransportCredentials { return v }
func (verified) OverrideServerName(string) error           { return errors.New("the server's name is pinned") }
