package grpc

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// verdict records what one call got from the peer itself, as opposed to what the gRPC library made of it.
type verdict struct {
	trailers atomic.Bool  // gRPC trailers arrived, and the status with them
	requests atomic.Int32 // requests sent
}

// waitingFor says what a call that has run out of time was waiting for.
func (v *verdict) waitingFor() string {
	if v.requests.Load() == 0 {
		return "the peer let no request through"
	}
	return "the peer took the call and sent no reply"
}

type verdictKey struct{}

// recordVerdict has a [verdictHandler] fill in v during the call that ctx is for.
func recordVerdict(ctx context.Context, v *verdict) context.Context {
	return context.WithValue(ctx, verdictKey{}, v)
}

// verdictHandler is the stats.Handler that fills in verdicts. The library reports trailers only for those it read
// from the wire, never for a status it made up.
type verdictHandler struct{}

func (verdictHandler) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (verdictHandler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (verdictHandler) HandleConn(context.Context, stats.ConnStats)                       {}

func (verdictHandler) HandleRPC(ctx context.Context, s stats.RPCStats) {
	v, ok := ctx.Value(verdictKey{}).(*verdict)
	if !ok {
		return
	}
	switch s.(type) {
	case *stats.OutHeader:
		v.requests.Add(1)
	case *stats.InTrailer:
		v.trailers.Store(true)
	}
}
