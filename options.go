package bootpointer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bootpointer/bootpointer/transport"
)

const (
	// DefaultComponent is the component whose pointer is asked for.
	DefaultComponent = "aksNodeController"
	// DefaultTimeout is the time that the network may take in all: 3 s, and 1 s more for a call whose token came late.
	DefaultTimeout = 4 * time.Second
	// fallbackName is the step of WithFallback in reports. No network step may have it.
	fallbackName = "fallback"
)

// A Reporter tells the world about a result, for example by writing a guest-agent event. It has 250 ms, or
// what the check has left of its time if that is more; an error becomes a warning of the result.
type Reporter interface {
	Report(ctx context.Context, r Result) error
}

// Option changes how a [Checker] is built.
type Option func(*Checker) error

// WithFallback uses the pointer of t when no network transport got an answer. It never lowers what is staged. The
// default is no fallback.
func WithFallback(t transport.Transport) Option {
	return func(c *Checker) error {
		if t == nil {
			return errors.New("fallback is nil")
		}
		c.fallback = t
		return nil
	}
}

// WithComponent asks for another component. The default is [DefaultComponent].
func WithComponent(component string) Option {
	return func(c *Checker) error {
		if component == "" {
			return errors.New("component is empty")
		}
		c.component = component
		return nil
	}
}

// WithTimeout bounds the time that the network takes in all. The default is [DefaultTimeout].
func WithTimeout(timeout time.Duration) Option {
	return func(c *Checker) error {
		if timeout <= 0 {
			return fmt.Errorf("timeout %s is not positive", timeout)
		}
		c.timeout = timeout
		return nil
	}
}

// WithReporter has every result reported. The default is none.
func WithReporter(r Reporter) Option {
	return func(c *Checker) error {
		if r == nil {
			return errors.New("reporter is nil")
		}
		c.reporter = r
		return nil
	}
}

// WithLogger logs one line per check at info level. The default is silence.
func WithLogger(logger *slog.Logger) Option {
	return func(c *Checker) error {
		if logger == nil {
			return errors.New("logger is nil")
		}
		c.logger = logger
		return nil
	}
}
