package grpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/bootpointer/bootpointer/internal/token"
	"github.com/bootpointer/bootpointer/transport"
)

// classOfVerdict is the table of what a status means when the service itself sent it. A status that the gRPC
// library made up is fallback-eligible whatever its code.
func classOfVerdict(code codes.Code) transport.Class {
	switch code {
	case codes.Unauthenticated, codes.PermissionDenied, codes.NotFound:
		return transport.Benign
	case codes.InvalidArgument, codes.ResourceExhausted:
		return transport.Authoritative
	default:
		return transport.FallbackEligible
	}
}

// maxStatusText is how much of a server's message is kept, in bytes: enough for a sentence and a stack's first lines.
const maxStatusText = 512

// classify turns the error of one call into a classified one. v says what came from the peer itself, ctx is the call's,
// secret the token, which the service may have echoed.
func classify(ctx context.Context, op string, err error, v *verdict, secret string) *transport.Error {
	st, sent := status.Convert(err), v.trailers.Load()
	e := &transport.Error{Class: transport.FallbackEligible, Op: op, Err: showable(st, secret)}
	switch {
	case isTooLarge(st):
		e.Class, e.Reason = transport.Authoritative, transport.ReasonMalformed
	case errors.Is(ctx.Err(), context.Canceled):
		e.Class, e.Reason, e.Err = transport.Authoritative, transport.ReasonCanceled, ctx.Err()
	case timeIsUp(ctx) && (!sent || st.Code() == codes.DeadlineExceeded):
		e.Reason, e.Err = transport.ReasonDeadline, fmt.Errorf("%s: %w", v.waitingFor(), context.DeadlineExceeded)
	case sent:
		e.Class, e.Reason, e.Code = classOfVerdict(st.Code()), transport.ReasonStatus, st.Code().String()
	case httpStatus(st) != "":
		e.Reason, e.Code = transport.ReasonHTTPStatus, httpStatus(st)
	default:
		e.Reason = transport.ReasonConnect
	}
	return e
}

// timeIsUp reports whether the call has ended for want of time. The peer knows the deadline, and may reset the stream or
// send DeadlineExceeded a moment before our own clock says so: the three are one fault.
func timeIsUp(ctx context.Context) bool {
	const moment = 100 * time.Millisecond
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < moment
}

// statusError is a status that is safe to show, with its message as the text. It is still a status to
// [status.FromError].
type statusError struct{ st *status.Status }

func (e statusError) Error() string              { return e.st.Message() }
func (e statusError) GRPCStatus() *status.Status { return e.st }

// showable rebuilds a status with a message that is fit for an error.
func showable(st *status.Status, secret string) error {
	text := token.Quote(st.Message(), secret, maxStatusText)
	if text == "" {
		text = st.Code().String() + " without a message"
	}
	return statusError{status.New(st.Code(), text)}
}

// isTooLarge recognises the limit of [maxReply]. The library gives it no code of its own; a service that sent the
// same words with the same code would be authoritative too.
func isTooLarge(st *status.Status) bool {
	return st.Code() == codes.ResourceExhausted && strings.Contains(st.Message(), "larger than max")
}

// httpStatus returns the HTTP status behind a status made up from an HTTP answer, and "" for any other. The library
// gives it nowhere but in the text.
func httpStatus(st *status.Status) string {
	_, rest, _ := strings.Cut(st.Message(), "unexpected HTTP status code received from server: ")
	code, _, _ := strings.Cut(rest, " ")
	return code
}
