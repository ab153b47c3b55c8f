package https

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"

	"github.com/bootpointer/bootpointer/internal/front"
)

const (
	// DefaultServerName is the pinned name: the service's host, and what its certificate is for.
	DefaultServerName = front.ServerName
	// DefaultComponent is the component whose document the service has.
	DefaultComponent = "aksNodeController"
)

// Option changes how a [Transport] is built.
type Option func(*options) error

type options struct {
	front.Options
	component string
}

// WithTarget dials hostport instead of port 443 of the endpoint's host. SNI, Host and the pinned name stay as they are.
// The default is no override.
func WithTarget(hostport string) Option {
	return func(o *options) error { return o.SetTarget(hostport) }
}

// WithServerName changes the pinned name, and SNI and Host with it. The default is [DefaultServerName].
func WithServerName(name string) Option {
	return func(o *options) error {
		if u, err := url.Parse(serviceURL(name)); err != nil || u.Host != front.Authority(name) {
			return fmt.Errorf("server name %q cannot be the host of a URL", name)
		}
		return o.SetServerName(name)
	}
}

// WithComponent says whose document the service has. The default is [DefaultComponent].
func WithComponent(component string) Option {
	return func(o *options) error {
		if component == "" {
			return errors.New("component is empty")
		}
		o.component = component
		return nil
	}
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
	o := options{Options: front.NewOptions(), component: DefaultComponent}
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return options{}, fmt.Errorf("https transport: %w", err)
		}
	}
	return o, nil
}
