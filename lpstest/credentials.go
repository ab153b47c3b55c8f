package lpstest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
)

// serverCredentials is TLS for grpc-go that lets a client without ALPN, or with one that is not "h2", through.
// grpc-go's own would append "h2" and refuse such a client before a test could see what it does.
type serverCredentials struct {
	terminator *terminator
}

// connInfo is what a handler can find out about the connection of its call.
type connInfo struct {
	credentials.CommonAuthInfo
	state tls.ConnectionState
	raw   net.Conn
}

// AuthType makes a connInfo a [credentials.AuthInfo].
func (connInfo) AuthType() string { return "tls" }

// connectionOf returns the connection under a call, and the client's address.
func connectionOf(ctx context.Context) (connInfo, string) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return connInfo{}, ""
	}
	info, _ := p.AuthInfo.(connInfo)
	return info, p.Addr.String()
}

func (c serverCredentials) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, err := c.terminator.handshake(raw)
	if err != nil {
		_ = raw.Close()
		return nil, nil, err
	}
	return conn, connInfo{
		CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity},
		state:          conn.ConnectionState(),
		raw:            raw,
	}, nil
}

func (serverCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("lpstest: credentials for servers only")
}

func (serverCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

func (c serverCredentials) Clone() credentials.TransportCredentials { return c }

func (serverCredentials) OverrideServerName(string) error { return nil }
