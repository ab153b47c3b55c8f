package transporttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/bootpointer/bootpointer/transport"
)

// Situation is what the source of the transport under test is like. The comments say what Fetch has to return; every
// error comes with the zero document, is a *transport.Error, and has one of the reasons of package transport.
type Situation string

const (
	// Serving: the source has the body given for the component. Wanted: the document, byte for byte.
	Serving Situation = "serving"
	// TooLarge: the same, and the body is larger than a document may be. Wanted: Authoritative, malformed.
	TooLarge Situation = "too large"
	// OtherComponent: the source answers with the body, for a component that was not asked for. Wanted: Authoritative,
	// malformed.
	OtherComponent Situation = "other component"
	// Nothing: the source answers that it has nothing for the component. Wanted: Benign, or FallbackEligible where
	// another source may still have something.
	Nothing Situation = "nothing"
	// Down: the source cannot be reached, or gives no usable answer. Wanted: FallbackEligible.
	Down Situation = "down"
	// Silent: the source takes the request and never answers. Wanted, soon after ctx is done: FallbackEligible at a
	// deadline, Authoritative and canceled after a cancellation. The suite waits 5 s; a Resolver waits 100 ms.
	Silent Situation = "silent"
)

// Harness connects the suite with one kind of transport.
type Harness struct {
	// Component is what the suite asks for.
	Component string
	// New returns a transport whose source is in situation s. Whatever it starts, t.Cleanup ends. It returns nil where
	// the source cannot be in that situation; the checks for it are then skipped. Serving is never skipped.
	New func(t *testing.T, s Situation, body []byte) transport.Transport
}

// patience is how long a fetch may take to notice that its context is done. It is generous: machines are busy.
const patience = 5 * time.Second

// Run checks a transport against the contract of [transport.Transport].
func Run(t *testing.T, h Harness) {
	t.Helper()
	s := suite{h}
	t.Run("returns the document", s.returnsTheDocument)
	t.Run("returns the largest document", s.returnsTheLargestDocument)
	t.Run("gives the document away", s.givesTheDocumentAway)
	t.Run("is safe for concurrent use", s.isSafeForConcurrentUse)
	t.Run("refuses the zero request", s.refusesTheZeroRequest)
	t.Run("refuses a document too large", s.refusesTooLarge)
	t.Run("refuses another component", s.refusesAnotherComponent)
	t.Run("says that there is nothing", s.saysNothing)
	t.Run("says that the source is down", s.saysDown)
	t.Run("does not start when cancelled", s.doesNotStartWhenCancelled)
	t.Run("does not start after the deadline", s.doesNotStartAfterTheDeadline)
	t.Run("stops when cancelled", s.stopsWhenCancelled)
	t.Run("stops at the deadline", s.stopsAtTheDeadline)
}

type suite struct{ h Harness }

func (s suite) request() transport.Request { return transport.Request{Component: s.h.Component} }

// start returns the transport in a situation, or skips the check.
func (s suite) start(t *testing.T, situation Situation, body []byte) transport.Transport {
	t.Helper()
	tr := s.h.New(t, situation, body)
	if tr == nil && situation == Serving {
		t.Fatal("Harness.New returned nil for Serving: every source can be in that situation")
	}
	if tr == nil {
		t.Skipf("the harness has no source that is %s", situation)
	}
	return tr
}

var errOverdue = errors.New("overdue")

// fetch calls Fetch and gives up on it long after its context is done.
func fetch(t *testing.T, ctx context.Context, tr transport.Transport, req transport.Request) (transport.Document, error) {
	t.Helper()
	type reply struct {
		doc transport.Document
		err error
	}
	replies := make(chan reply, 1)
	go func() {
		doc, err := tr.Fetch(ctx, req)
		replies <- reply{doc, err}
	}()
	select {
	case r := <-replies:
		return r.doc, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-replies:
		return r.doc, r.err
	case <-time.After(patience):
		t.Errorf("Fetch had not returned %s after its context was done: pass ctx to whatever it waits for", patience)
		return transport.Document{}, errOverdue
	}
}

// wantError checks what every failure has to be, and its class.
func wantError(t *testing.T, doc transport.Document, err error, classes ...transport.Class) {
	t.Helper()
	if errors.Is(err, errOverdue) {
		return
	}
	if err == nil {
		t.Fatalf("Fetch returned a document of %d bytes, want an error of class %v", len(doc.Body), classes)
	}
	if doc.Component != "" || doc.Body != nil || doc.Code != "" {
		t.Errorf("Fetch returned a document along with an error: a failure comes with the zero Document")
	}
	e, ok := errors.AsType[*transport.Error](err)
	if !ok {
		t.Fatalf("Fetch returned a %T (%v): every failure is, or wraps, a *transport.Error", err, err)
	}
	if !reasons()[e.Reason] {
		t.Errorf("the error's reason is %q: it has to be one of the transport.Reason constants", e.Reason)
	}
	for _, class := range classes {
		if e.Class == class {
			return
		}
	}
	t.Errorf("the error's class is %q, want one of %v (%v)", e.Class, classes, err)
}

// wantReason checks the reason of a classified error.
func wantReason(t *testing.T, err error, reason transport.Reason, why string) {
	t.Helper()
	if e, ok := errors.AsType[*transport.Error](err); ok && e.Reason != reason {
		t.Errorf("the error's reason is %q, want %q: %s (%v)", e.Reason, reason, why, err)
	}
}

func reasons() map[transport.Reason]bool {
	return map[transport.Reason]bool{
		transport.ReasonConfig: true, transport.ReasonIdentity: true, transport.ReasonDNS: true,
		transport.ReasonConnect: true, transport.ReasonTLS: true, transport.ReasonCertName: true,
		transport.ReasonCertUntrusted: true, transport.ReasonCertExpired: true, transport.ReasonCertNotYetValid: true,
		transport.ReasonALPN: true, transport.ReasonHTTPStatus: true, transport.ReasonDeadline: true,
		transport.ReasonCanceled: true, transport.ReasonStatus: true, transport.ReasonMalformed: true,
		transport.ReasonEmpty: true, transport.ReasonNoPointer: true,
	}
}

// sample is a document that is no valid JSON: bodies are opaque to a transport.
func sample() []byte { return []byte("{\"hotfixes\": {\"202604.01\": \"202604.01.1\"}}\n\x00\t ü") }

func (s suite) wantSample(t *testing.T, tr transport.Transport) transport.Document {
	t.Helper()
	doc, err := fetch(t, t.Context(), tr, s.request())
	if err != nil {
		t.Fatalf("Fetch failed though the source has the document: %v", err)
	}
	if doc.Component != s.h.Component {
		t.Errorf("the document is for component %q, asked for %q", doc.Component, s.h.Component)
	}
	if !bytes.Equal(doc.Body, sample()) {
		t.Errorf("the body is %q, want %q: it is opaque and passes byte for byte", doc.Body, sample())
	}
	return doc
}

func (s suite) returnsTheDocument(t *testing.T) {
	tr := s.start(t, Serving, sample())
	for range 2 {
		s.wantSample(t, tr)
	}
}

func (s suite) returnsTheLargestDocument(t *testing.T) {
	body := bytes.Repeat([]byte("x"), transport.MaxDocumentSize)
	doc, err := fetch(t, t.Context(), s.start(t, Serving, body), s.request())
	if err != nil {
		t.Fatalf("Fetch failed for a document of exactly MaxDocumentSize bytes: %v", err)
	}
	if !bytes.Equal(doc.Body, body) {
		t.Errorf("the body has %d bytes or others than served, want %d", len(doc.Body), len(body))
	}
}

func (s suite) givesTheDocumentAway(t *testing.T) {
	tr := s.start(t, Serving, sample())
	doc := s.wantSample(t, tr)
	clear(doc.Body)
	if again := s.wantSample(t, tr); len(again.Body) > 0 && again.Body[0] == 0 {
		t.Error("changing the bytes of one document changed the next: the caller owns them, so return a copy")
	}
}

func (s suite) isSafeForConcurrentUse(t *testing.T) {
	tr := s.start(t, Serving, sample())
	var wg sync.WaitGroup
	errs := make(chan error, 16)
	for range cap(errs) {
		wg.Go(func() {
			doc, err := tr.Fetch(t.Context(), s.request())
			if err == nil && !bytes.Equal(doc.Body, sample()) {
				err = fmt.Errorf("got body %q", doc.Body)
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Errorf("one of %d concurrent fetches failed: %v", cap(errs), err)
		}
	}
}

func (s suite) refusesTheZeroRequest(t *testing.T) {
	tr := s.start(t, Serving, sample())
	doc, err := fetch(t, t.Context(), tr, transport.Request{})
	wantError(t, doc, err, transport.FallbackEligible, transport.Benign, transport.Authoritative)
}

func (s suite) refusesTooLarge(t *testing.T) {
	tr := s.start(t, TooLarge, bytes.Repeat([]byte("x"), transport.MaxDocumentSize+1))
	doc, err := fetch(t, t.Context(), tr, s.request())
	wantError(t, doc, err, transport.Authoritative)
	wantReason(t, err, transport.ReasonMalformed, "the source answered, and its document cannot be used")
}

func (s suite) refusesAnotherComponent(t *testing.T) {
	tr := s.start(t, OtherComponent, sample())
	doc, err := fetch(t, t.Context(), tr, s.request())
	wantError(t, doc, err, transport.Authoritative)
	wantReason(t, err, transport.ReasonMalformed, "the source answered for a component that was not asked for")
}

func (s suite) saysNothing(t *testing.T) {
	tr := s.start(t, Nothing, nil)
	doc, err := fetch(t, t.Context(), tr, s.request())
	wantError(t, doc, err, transport.Benign, transport.FallbackEligible)
}

func (s suite) saysDown(t *testing.T) {
	tr := s.start(t, Down, nil)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	doc, err := fetch(t, ctx, tr, s.request())
	wantError(t, doc, err, transport.FallbackEligible)
}

func (s suite) doesNotStartWhenCancelled(t *testing.T) {
	tr := s.start(t, Serving, sample())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	doc, err := fetch(t, ctx, tr, s.request())
	wantCancelled(t, doc, err)
}

func (s suite) doesNotStartAfterTheDeadline(t *testing.T) {
	tr := s.start(t, Serving, sample())
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	doc, err := fetch(t, ctx, tr, s.request())
	wantError(t, doc, err, transport.FallbackEligible)
}

func (s suite) stopsWhenCancelled(t *testing.T) {
	tr := s.start(t, Silent, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(50*time.Millisecond, cancel)
	doc, err := fetch(t, ctx, tr, s.request())
	wantCancelled(t, doc, err)
}

func (s suite) stopsAtTheDeadline(t *testing.T) {
	tr := s.start(t, Silent, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	doc, err := fetch(t, ctx, tr, s.request())
	wantError(t, doc, err, transport.FallbackEligible)
}

func wantCancelled(t *testing.T, doc transport.Document, err error) {
	t.Helper()
	wantError(t, doc, err, transport.Authoritative)
	wantReason(t, err, transport.ReasonCanceled, "the caller gave up, and no fallback may follow; see transport.ContextError")
}
