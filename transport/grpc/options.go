package grpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/bootpointer/bootpointer/internal/dial"
	"github.com/bootpointer/bootpointer/internal/front"
)

// DefaultServerName is the pinned name that the service's certificate is for.
const DefaultServerName = front.ServerName

// Option changes how a [Transport] is built.
type Option func(*options) error

type options struct {
	target     string
	serverName string
	minVersion uint16
	dial       dial.ContextDialer
	logger     *slog.Logger
}

// WithTarget dials hostport instead of port 443 of the endpoint's host. SNI, authority and the pinned name stay as
// they are. The default is no override.
func WithTarget(hostport string) Option {
	return func(o *options) error {
		if _, _, err := net.SplitHostPort(hostport); err != nil {
			return fmt.Errorf("target %q: %w", hostport, err)
		}
		o.target = hostport
		return nil
	}
}

// WithServerName changes the pinned name. The default is [DefaultServerName].
func WithServerName(name string) Option {
	return func(o *options) error {
		if name == "" {
			return errors.New("server name is empty: the certificate would not be checked for any")
		}
		o.serverName = name
		return nil
	}
}

// WithMinTLSVersion sets the lowest TLS version, tls.VersionTLS12 or tls.VersionTLS13. The default is 1.2.
func WithMinTLSVersion(version uint16) Option {
	return func(o *options) error {
		if version != tls.VersionTLS12 && version != tls.VersionTLS13 {
			return fmt.Errorf("minimum TLS version %s is not supported", tls.VersionName(version))
		}
		o.minVersion = version
		return nil
	}
}

// WithDialer opens TCP connections with dial, for example to an in-memory listener. TLS and its checks stay. The
// default is that of [net.Dialer].
func WithDialer(dial func(ctx context.Context, network, address string) (net.Conn, error)) Option {
	return func(o *options) error {
		if dial == nil {
			return errors.New("dialer is nil")
		}
		o.dial = dial
		return nil
	}
}

// WithLogger logs the steps of a fetch at debug level. The default is silence.
func WithLogger(logger *slog.Logger) Option {
	return func(o *options) error {
		if logger == nil {
			return errors.New("logger is nil")
		}
		o.logger = logger
		return nil
	}
}

func newOptions(opts []Option) (options, error) {
	o := options{
		serverName: DefaultServerName,
		minVersion: tls.VersionTLS12,
		dial:       dial.NewDialer().DialContext,
		logger:     slog.New(slog.DiscardHandler),
	}
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return options{}, fmt.Errorf("grpc transport: %w", err)
		}
	}
	return o, nil
}
