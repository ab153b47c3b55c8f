package grpc

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"github.com/bootpointer/bootpointer/internal/front"
)

// DefaultServerName is the pinned name that the service's certificate is for.
const DefaultServerName = front.ServerName

// Option changes how a [Transport] is built.
type Option func(*options) error

type options struct{ front.Options }

// WithTarget dials hostport instead of port 443 of the endpoint's host. SNI, authority and the pinned name stay as
// they are. The default is no override.
func WithTarget(hostport string) Option {
	return func(o *options) error { return o.SetTarget(hostport) }
}

// WithServerName changes the pinned name. The default is [DefaultServerName].
func WithServerName(name string) Option {
	return func(o *options) error { return o.SetServerName(name) }
}

// WithMinTLSVersion sets the lowest TLS version, tls.VersionTLS12 or tls.VersionTLS13. The default is 1.2.
func WithMinTLSVersion(version uint16) Option {
	return func(o *options) error { return o.SetMinTLSVersion(version) }
}

// WithDialer opens TCP connections with dial, for example to an in-memory listener. TLS and its checks stay. The
// default is that of [net.Dialer].
func WithDialer(dial func(ctx context.Context, network, address string) (net.Conn, error)) Option {
	return func(o *options) error { return o.SetDialer(dial) }
}

// WithLogger logs the steps of a fetch at debug level. The default is silence.
func WithLogger(logger *slog.Logger) Option {
	return func(o *options) error { return o.SetLogger(logger) }
}

func newOptions(opts []Option) (options, error) {
	o := options{front.NewOptions()}
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return options{}, fmt.Errorf("grpc transport: %w", err)
		}
	}
	return o, nil
}
