package blob

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/transport"
)

// faultVariable names the fault that TestConformance has in a child process.
const faultVariable = "BLOB_TEST_FAULT"

type fetchFunc func(context.Context, transport.Request) (transport.Document, error)

// brokenTransport is a transport with another Fetch.
type brokenTransport struct {
	*Transport
	fetch fetchFunc
}

func (b brokenTransport) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	return b.fetch(ctx, req)
}

// fault breaks one clause of the contract of [transport.Transport].
type fault struct {
	broken func(t *Transport) fetchFunc
	caught string // the check that finds it; empty if it is TestMain's search for goroutines
}

// onError returns t with its errors replaced.
func onError(t *Transport, replace func(*transport.Error) (transport.Document, error)) fetchFunc {
	return func(ctx context.Context, req transport.Request) (transport.Document, error) {
		doc, err := t.Fetch(ctx, req)
		if e, ok := errors.AsType[*transport.Error](err); ok {
			return replace(e)
		}
		return doc, err
	}
}

// onDocument returns t with its documents replaced.
func onDocument(t *Transport, replace func(transport.Document) transport.Document) fetchFunc {
	return func(ctx context.Context, req transport.Request) (transport.Document, error) {
		doc, err := t.Fetch(ctx, req)
		if err != nil {
			return doc, err
		}
		return replace(doc), nil
	}
}

var faults = map[string]fault{
	"bodies are trimmed": {func(t *Transport) fetchFunc {
		return onDocument(t, func(d transport.Document) transport.Document {
			d.Body = d.Body[:len(d.Body)-1]
			return d
		})
	}, "returns_the_document"},
	"documents are for nobody": {func(t *Transport) fetchFunc {
		return onDocument(t, func(d transport.Document) transport.Document {
			d.Component = ""
			return d
		})
	}, "returns_the_document"},
	"the limit is too low": {func(t *Transport) fetchFunc {
		return onDocument(t, func(d transport.Document) transport.Document {
			d.Body = d.Body[:min(len(d.Body), transport.MaxDocumentSize-1)]
			return d
		})
	}, "returns_the_largest_document"},
	"there is no limit": {func(t *Transport) fetchFunc {
		return onError(t, func(e *transport.Error) (transport.Document, error) {
			if e.Reason == transport.ReasonMalformed {
				return transport.Document{Component: component, Body: make([]byte, transport.MaxDocumentSize+1)}, nil
			}
			return transport.Document{}, e
		})
	}, "refuses_a_document_too_large"},
	"documents are shared": {func(t *Transport) fetchFunc {
		fetchOnce := sync.OnceValues(func() (transport.Document, error) {
			return t.Fetch(context.Background(), transport.Request{Component: component})
		})
		return func(context.Context, transport.Request) (transport.Document, error) { return fetchOnce() }
	}, "gives_the_document_away"},
	"one fetch at a time": {func(t *Transport) fetchFunc {
		var busy sync.Mutex
		return func(ctx context.Context, req transport.Request) (transport.Document, error) {
			if !busy.TryLock() {
				return transport.Document{}, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect}
			}
			defer busy.Unlock()
			return t.Fetch(ctx, req)
		}
	}, "is_safe_for_concurrent_use"},
	"asking for nothing is fine": {func(t *Transport) fetchFunc {
		return func(ctx context.Context, req transport.Request) (transport.Document, error) {
			if req.Component == "" {
				return transport.Document{}, nil
			}
			return t.Fetch(ctx, req)
		}
	}, "refuses_the_zero_request"},
	"nothing there is authoritative": {func(t *Transport) fetchFunc {
		return onError(t, func(e *transport.Error) (transport.Document, error) {
			if e.Class == transport.Benign {
				e.Class = transport.Authoritative
			}
			return transport.Document{}, e
		})
	}, "says_that_there_is_nothing"},
	"a source that is down is benign": {func(t *Transport) fetchFunc {
		return onError(t, func(e *transport.Error) (transport.Document, error) {
			if e.Class == transport.FallbackEligible {
				e.Class = transport.Benign
			}
			return transport.Document{}, e
		})
	}, "says_that_the_source_is_down"},
	"errors are not classified": {func(t *Transport) fetchFunc {
		return onError(t, func(*transport.Error) (transport.Document, error) {
			return transport.Document{}, errors.New("something went wrong")
		})
	}, "refuses_the_zero_request"},
	"errors have a reason of their own": {func(t *Transport) fetchFunc {
		return onError(t, func(e *transport.Error) (transport.Document, error) {
			e.Reason = "blob-trouble"
			return transport.Document{}, e
		})
	}, "says_that_the_source_is_down"},
	"errors come with a document": {func(t *Transport) fetchFunc {
		return onError(t, func(e *transport.Error) (transport.Document, error) {
			return transport.Document{Component: component}, e
		})
	}, "refuses_a_document_too_large"},
	"cancellation does not keep it from starting": {func(t *Transport) fetchFunc {
		return func(ctx context.Context, req transport.Request) (transport.Document, error) {
			if ctx.Err() != nil {
				return t.Fetch(context.WithoutCancel(ctx), req)
			}
			return t.Fetch(ctx, req)
		}
	}, "does_not_start_when_cancelled"},
	"cancellation is the source's fault": {func(t *Transport) fetchFunc {
		return onError(t, func(e *transport.Error) (transport.Document, error) {
			if e.Reason == transport.ReasonCanceled {
				e.Class, e.Reason = transport.FallbackEligible, transport.ReasonConnect
			}
			return transport.Document{}, e
		})
	}, "stops_when_cancelled"},
	"it does not stop": {func(t *Transport) fetchFunc {
		return func(ctx context.Context, req transport.Request) (transport.Document, error) {
			return t.Fetch(context.WithoutCancel(ctx), req)
		}
	}, "stops_at_the_deadline"},
	"a goroutine stays": {func(t *Transport) fetchFunc {
		return func(ctx context.Context, req transport.Request) (transport.Document, error) {
			go time.Sleep(time.Minute)
			return t.Fetch(ctx, req)
		}
	}, ""},
}

// TestSuiteCatches runs the suite on a broken transport, in a process of its own for every fault, since a suite that
// fails fails the test it runs in. For the sake of time, it runs no more than the check that has to find the fault.
func TestSuiteCatches(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			child := exec.CommandContext(t.Context(), self, "-test.run=^TestConformance$/^"+fault.caught)
			child.Env = append(os.Environ(), faultVariable+"="+name)

			out, err := child.CombinedOutput()

			require.Error(t, err, "the suite passed:\n%s", out)
			assert.NotContains(t, string(out), "panic:")
			if fault.caught == "" {
				assert.Contains(t, string(out), "found unexpected goroutines")
				assert.NotContains(t, string(out), "--- FAIL")
				return
			}
			assert.Contains(t, string(out), "--- FAIL: TestConformance/"+fault.caught)
		})
	}
}
