package transport

import (
	"context"
	"errors"
	"strings"
	"unicode"
)

// Error is a classified failure.
type Error struct {
	// Class says what the failure means for the steps that follow. It is never zero.
	Class Class
	// Reason names the fault.
	Reason Reason
	// Op is what was being done, for example "dial 10.0.0.4:443". It may be empty.
	Op string
	// Code is the status of the answer, for example "NotFound" or "502". It is empty where nobody answered.
	Code string
	// Err is the cause. It may be nil.
	Err error
}

// Error returns operation, reason, code and cause on one line.
func (e *Error) Error() string {
	if e == nil {
		return "a nil *transport.Error"
	}
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op)
		b.WriteString(": ")
	}
	b.WriteString(string(e.Reason))
	if e.Code != "" {
		b.WriteString(" ")
		b.WriteString(e.Code)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return oneLine(b.String())
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// oneLine replaces control characters, line breaks first of all, by blanks.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// ContextError classifies the end of ctx: the caller's own cancellation is [Authoritative], so that nothing is
// asked after it, and a deadline is [FallbackEligible]. It returns nil while ctx is not done.
func ContextError(ctx context.Context, op string) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, err) {
		err = errors.Join(err, cause)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Class: FallbackEligible, Reason: ReasonDeadline, Op: op, Err: err}
	}
	return &Error{Class: Authoritative, Reason: ReasonCanceled, Op: op, Err: err}
}
