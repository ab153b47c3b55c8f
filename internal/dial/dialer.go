package dial

import (
	"context"
	"net"
)

// NewDialer returns a dialer like the zero [net.Dialer], whose name look-ups end with their context. Go's own resolver
// would go on reading for seconds when a name server is silent.
func NewDialer() *net.Dialer {
	return &net.Dialer{Resolver: &net.Resolver{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			context.AfterFunc(ctx, func() { conn.Close() })
		}
		return conn, err
	}}}
}
