package front

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/bootpointer/bootpointer/internal/dial"
	"github.com/bootpointer/bootpointer/transport"
)

// Options are what every transport through the front can be built with. Each setter refuses what cannot work.
type Options struct {
	target        string
	serverName    string
	minTLSVersion uint16
	dial          dial.ContextDialer
	logger        *slog.Logger
}

// NewOptions returns the defaults: the front's own address, the service's name, TLS 1.2, the system's dialer and no log.
func NewOptions() Options {
	return Options{
		serverName:    ServerName,
		minTLSVersion: tls.VersionTLS12,
		dial:          dial.NewDialer().DialContext,
		logger:        slog.New(slog.DiscardHandler),
	}
}

// SetTarget sets what to dial instead of the front's port of the endpoint's host.
func (o *Options) SetTarget(hostport string) error {
	if _, _, err := net.SplitHostPort(hostport); err != nil {
		return fmt.Errorf("target %q: %w", hostport, err)
	}
	o.target = hostport
	return nil
}

// SetServerName sets the pinned name.
func (o *Options) SetServerName(name string) error {
	if name == "" {
		return errors.New("server name is empty: the certificate would not be checked for any")
	}
	o.serverName = name
	return nil
}

// SetMinTLSVersion sets the lowest TLS version.
func (o *Options) SetMinTLSVersion(version uint16) error {
	if version != tls.VersionTLS12 && version != tls.VersionTLS13 {
		return fmt.Errorf("minimum TLS version %s is not supported", tls.VersionName(version))
	}
	o.minTLSVersion = version
	return nil
}

// SetDialer sets what opens TCP connections.
func (o *Options) SetDialer(dialer func(ctx context.Context, network, address string) (net.Conn, error)) error {
	if dialer == nil {
		return errors.New("dialer is nil")
	}
	o.dial = dialer
	return nil
}

// SetLogger sets where the steps of a fetch are logged, at debug level.
func (o *Options) SetLogger(logger *slog.Logger) error {
	if logger == nil {
		return errors.New("logger is nil")
	}
	o.logger = logger
	return nil
}

// ServerName returns the pinned name.
func (o *Options) ServerName() string { return o.serverName }

// Logger returns where to log. It is never nil.
func (o *Options) Logger() *slog.Logger { return o.logger }

// Address returns the host:port to dial for host.
func (o *Options) Address(host string) string {
	if o.target != "" {
		return o.target
	}
	return net.JoinHostPort(host, port)
}

// Dial says how a connection to the front of e is opened, and what the front has to prove.
func (o *Options) Dial(e transport.Endpoint, hello Hello) dial.Config {
	return dial.Config{
		Address:    o.Address(e.Host),
		SNI:        hello.SNI,
		Dial:       o.dial,
		MinVersion: o.minTLSVersion,
		Verify: dial.Verification{CAs: e.CAs, Name: o.serverName,
			ALPN: hello.ALPN, ALPNOptional: hello.ALPNOptional},
	}
}

// Connect opens a connection to the front of e that is verified for the pinned name.
func (o *Options) Connect(ctx context.Context, e transport.Endpoint, hello Hello) (*tls.Conn, error) {
	conn, err := dial.TLS(ctx, o.Dial(e, hello))
	if err != nil {
		return nil, err
	}
	state := conn.ConnectionState()
	o.logger.DebugContext(ctx, "verified", "peer", conn.RemoteAddr().String(),
		"tls", tls.VersionName(state.Version), "alpn", state.NegotiatedProtocol)
	return conn, nil
}
