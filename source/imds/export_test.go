package imds

import (
	"context"
	"net"
)

// WithDial replaces the dialer.
func WithDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) Option {
	return func(o *options) { o.dial = dial }
}

var ParseSignature = signature
