package grpc

import (
	"errors"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

// again reports whether the same call may be made once more: after Unavailable, sent or made up. Whoever says "too many
// requests" gets no more of them.
func again(err error) bool {
	if e, ok := errors.AsType[*transport.Error](err); ok && e.Reason == transport.ReasonHTTPStatus && e.Code == "429" {
		return false
	}
	return transport.ClassOf(err) == transport.FallbackEligible && status.Code(err) == codes.Unavailable
}

// pushback returns the pause before a retry: a random one, after the time that the service asks for, if any. It asks all
// nodes of a rack for the same.
func pushback(trailer metadata.MD) time.Duration {
	asked := trailer.Get("grpc-retry-pushback-ms")
	if len(asked) == 0 {
		return front.Jitter()
	}
	ms, err := strconv.ParseInt(asked[0], 10, 32)
	if err != nil || ms < 0 || len(asked) > 1 {
		return front.Never
	}
	return time.Duration(ms)*time.Millisecond + front.Jitter()
}
