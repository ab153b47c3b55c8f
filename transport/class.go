package transport

import (
	"errors"

	"github.com/hashicorp/go-multierror"
)

// Class says what a failure means for the steps that follow it. There is no class for success: no error, no class.
type Class uint8

const (
	// FallbackEligible failures got no usable answer; the next step may be asked.
	FallbackEligible Class = iota + 1
	// Benign failures are the answer that nothing is published for this node.
	Benign
	// Authoritative failures are an answer that no other source may replace.
	Authoritative
)

// String returns the class as it stands in reports: "fallback", "benign", "authoritative", and "ok" for the zero
// value, which is the class of no error at all.
func (c Class) String() string {
	switch c {
	case 0:
		return "ok"
	case Benign:
		return "benign"
	case Authoritative:
		return "authoritative"
	default:
		return "fallback"
	}
}

// ClassOf returns the class of err: 0 for nil, that of the first [*Error] in the chain of err, and
// [FallbackEligible] for an error nobody classified. A chain of attempts that failed, a *multierror.Error, has the
// class of its last attempt, since it goes on after nothing but a fallback-eligible one.
func ClassOf(err error) Class {
	for e := err; e != nil; e = errors.Unwrap(e) {
		switch e := e.(type) {
		case *Error:
			return e.class()
		case *multierror.Error:
			if len(e.Errors) > 0 {
				return ClassOf(e.Errors[len(e.Errors)-1])
			}
		}
	}
	if e, ok := errors.AsType[*Error](err); ok { // among joined errors
		return e.class()
	}
	if err == nil {
		return 0
	}
	return FallbackEligible
}

// class returns the class of e, also of one that was built wrongly.
func (e *Error) class() Class {
	if e == nil || e.Class < FallbackEligible || e.Class > Authoritative {
		return FallbackEligible
	}
	return e.Class
}
