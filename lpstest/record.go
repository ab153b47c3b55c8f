package lpstest

import (
	"context"
	"time"

	"google.golang.org/grpc/metadata"
)

// Call is one call that reached a [Server], whatever was answered.
type Call struct {
	// Component is the component asked for.
	Component string
	// Authority is the call's :authority.
	Authority string
	// Metadata is all that came with the call, the token included.
	Metadata metadata.MD
	// SNI and ALPN are those of the connection: the name in the client hello and the protocol selected.
	SNI, ALPN string
	// Time is when the call reached its handler, and Remote the client's address.
	Time   time.Time
	Remote string
}

// Token returns the call's authorization, or "" if it has none.
func (c Call) Token() string {
	if values := c.Metadata.Get("authorization"); len(values) > 0 {
		return values[0]
	}
	return ""
}

func newCall(ctx context.Context, component string) Call {
	info, remote := connectionOf(ctx)
	call := Call{
		Component: component,
		SNI:       info.state.ServerName,
		ALPN:      info.state.NegotiatedProtocol,
		Time:      time.Now(),
		Remote:    remote,
	}
	call.Metadata, _ = metadata.FromIncomingContext(ctx)
	if values := call.Metadata.Get(":authority"); len(values) > 0 {
		call.Authority = values[0]
	}
	return call
}
