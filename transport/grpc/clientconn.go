package grpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

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
	c := &onceConn{Watched: front.Watch(conn)}
	cc, err := grpc.NewClient("passthrough:///"+authority,
		grpc.WithContextDialer(c.handOver),
		grpc.WithTransportCredentials(verified{state: conn.ConnectionState()}),
		grpc.WithAuthority(authority),
		grpc.WithUserAgent(front.UserAgent),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithIdleTimeout(0),
		grpc.WithStatsHandler(verdictHandler{}),
		grpc.WithMaxHeaderListSize(maxHeaderList),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{}), grpc.MaxCallRecvMsgSize(maxReply),
			// A message that is not kept cannot be sent again: no retry but our own, not even after REFUSED_STREAM.
			grpc.MaxRetryRPCBufferSize(0)),
	)
	if err != nil {
		conn.Close()
		return nil, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConfig, Err: err}
	}
	cc.Connect()
	if err := waitReady(ctx, cc, c); err != nil {
		cc.Close()
		conn.Close()
		return nil, err
	}
	return cc, nil
}

func waitReady(ctx context.Context, cc *grpc.ClientConn, c *onceConn) error {
	for state := cc.GetState(); state != connectivity.Ready; state = cc.GetState() {
		// Idle after the hand-over is a connection that was ready and is gone.
		if state == connectivity.TransientFailure || state == connectivity.Idle && c.handed.Load() || c.ReadError() != nil {
			return c.PrefaceError()
		}
		if cc.WaitForStateChange(ctx, state) {
			continue
		}
		op := "HTTP/2 with " + c.RemoteAddr().String()
		if errors.Is(ctx.Err(), context.Canceled) {
			return transport.ContextError(ctx, op)
		}
		return &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonDeadline, Op: op,
			Err: fmt.Errorf("TLS is established, the peer sent no HTTP/2 SETTINGS: %w", ctx.Err())}
	}
	return nil
}

// onceConn is the client connection's dialer: it gives its connection away once.
type onceConn struct {
	*front.Watched
	handed atomic.Bool
}

func (c *onceConn) handOver(context.Context, string) (net.Conn, error) {
	if c.handed.Swap(true) {
		return nil, front.ErrConnectionLost
	}
	return c.Watched, nil
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
