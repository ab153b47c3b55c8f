package probe

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/transport"
)

// call is one transport's call, and what a check made of it. Its attempt is zero if there was none.
type call struct {
	Layer
	attempt transport.Attempt
	result  bootpointer.Result
	body    []byte
}

// Who a status or an answer is from.
const (
	byService = "service" // a verdict
	byClient  = "client"  // made up from a connection that broke, or nothing at all
	byHTTP    = "http"    // somebody's HTTP answer that is no verdict
)

// call has a check done in a dry run over one transport, with the token that is there already.
func (p *run) call(ctx context.Context, t Transport, secure, alpn Layer) (c call) {
	c.Layer = p.begin(LayerCall, t.Name)
	defer p.end(ctx, &c.Layer)
	switch {
	case secure.Status != OK || alpn.Status != OK:
		c.skip("not called: no verified connection")
		return c
	case p.secret == "":
		c.skip("not called: no token to present")
		return c
	}
	c.Tried = fmt.Sprintf("ask for %s, as a check in a dry run does", p.Component)
	tr, err := t.New(p.endpoint, transport.StaticToken(p.secret))
	if err != nil {
		c.fail(reasonConfig, "", err.Error())
		return c
	}
	if closer, ok := tr.(io.Closer); ok {
		defer closer.Close()
	}
	body := new([]byte) // a transport that is left behind may still write to it
	if c.result, err = p.check(ctx, p.share, transport.Step{Name: t.Name, Transport: recorder{tr, body}}); err != nil {
		c.fail(reasonConfig, "", err.Error())
		return c
	}
	if len(c.result.Attempts) == 0 {
		c.fail(string(transport.ReasonDeadline), "", c.result.Cause())
		return c
	}
	if c.judge(c.result.Attempts[0]); c.attempt.Err == nil {
		c.body = *body
	}
	return c
}

// check does a check in a dry run over these steps, whose network part takes timeout at most.
func (p *run) check(ctx context.Context, timeout time.Duration, steps ...transport.Step) (bootpointer.Result, error) {
	stager, err := pointer.NewStager(p.Pointer, pointer.WithDryRun())
	if err != nil {
		return bootpointer.Result{}, err
	}
	checker, err := bootpointer.New(steps, stager, p.CurrentVersion,
		bootpointer.WithComponent(p.Component), bootpointer.WithTimeout(timeout))
	if err != nil {
		return bootpointer.Result{}, err
	}
	return checker.Check(ctx), nil
}

// recorder keeps the document that passes through.
type recorder struct {
	transport.Transport
	body *[]byte
}

func (r recorder) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	doc, err := r.Transport.Fetch(ctx, req)
	if err == nil {
		*r.body = doc.Body
	}
	return doc, err
}

// judge says what came of the call, and from whom.
func (c *call) judge(a transport.Attempt) {
	c.attempt = a
	c.Class, c.Code = a.Class.String(), a.Code
	c.detail("call_ms", int(a.Duration/time.Millisecond))
	c.detail("verdict_by", verdictBy(a))
	switch {
	case a.Err == nil:
		c.ok("the service has a document: " + a.Code)
	case a.Reason == transport.ReasonMalformed, a.Reason == transport.ReasonEmpty:
		c.ok("the service has answered: " + a.Code)
	case a.Class == transport.Benign:
		c.Reason = string(a.Reason)
		c.ok("the service's verdict is " + a.Code + ": " + a.Err.Error())
		if refusesIdentity(a.Code) {
			c.Status, c.hint = Warning, hintRefused
		}
	case a.Class == transport.Authoritative:
		c.fail(string(a.Reason), hintFinal, a.Err.Error())
	default:
		c.fail(string(a.Reason), "", a.Err.Error())
	}
}

func verdictBy(a transport.Attempt) string {
	switch {
	case a.Err == nil, a.Class == transport.Benign, a.Reason == transport.ReasonStatus, a.Reason == transport.ReasonMalformed:
		return byService
	case a.Reason == transport.ReasonHTTPStatus:
		return byHTTP
	}
	return byClient
}

// refusesIdentity reports whether a benign code is about who asks rather than what there is.
func refusesIdentity(code string) bool {
	switch code {
	case "Unauthenticated", "PermissionDenied", "401", "403":
		return true
	}
	return false
}

// answered returns the call that ends the chain, as in a check: the first that is not fallback-eligible. It is nil where
// there is none.
func answered(calls []call) *call {
	for i, c := range calls {
		if c.Status == Skipped || c.attempt.Step == "" || c.attempt.Class == transport.FallbackEligible {
			continue
		}
		return &calls[i]
	}
	return nil
}

// readPointer says what the answer means for this node.
func (p *run) readPointer(ctx context.Context, answer *call) (l Layer) {
	l = p.begin(LayerPointer, "")
	defer p.end(ctx, &l)
	if answer == nil {
		l.skip("no answer")
		return l
	}
	l.Transport, l.Tried = answer.Transport, "look up what the answer has for version "+p.CurrentVersion
	a := answer.attempt
	l.Class = a.Class.String()
	switch {
	case a.Reason == transport.ReasonMalformed:
		l.fail(string(a.Reason), "", a.Err.Error())
	case a.Reason == transport.ReasonEmpty:
		l.Reason = string(a.Reason)
		l.ok("it has no hotfixes: nothing is published for this node")
		if warnings := answer.result.Warnings; len(warnings) > 0 {
			l.warn(l.Result + "; " + warnings[0])
		}
	case a.Class == transport.Benign:
		l.ok("nothing is published for this node")
	case a.Err != nil:
		l.Class = ""
		l.skip("no document")
	default:
		p.describePointer(&l, answer)
	}
	return l
}

func (p *run) describePointer(l *Layer, answer *call) {
	parsed, _, err := pointer.Parse(answer.body)
	if err != nil { // what the check accepted does parse
		l.fail(string(transport.ReasonMalformed), "", err.Error())
		return
	}
	r := answer.result
	version, _ := parsed.Resolve(r.CurrentVersion)
	upgrade := pointer.ShouldUpgrade(r.CurrentVersion, version)
	p.resolved = version
	l.detail("document_bytes", len(answer.body))
	l.detail("entries", len(parsed.Hotfixes))
	l.detail("this_node", version)
	l.detail("would_upgrade", upgrade)
	l.detail("warnings", append([]string{}, r.Warnings...))
	words := fmt.Sprintf("%d entries, ", len(parsed.Hotfixes))
	if len(parsed.Hotfixes) == 1 {
		words = "1 entry, "
	}
	switch {
	case upgrade:
		l.hint, words = hintUpgrade, words+fmt.Sprintf("for this node %s, which is higher than %s", version, r.CurrentVersion)
	case version != "":
		l.hint, words = hintCurrent, words+fmt.Sprintf("for this node %s, which is no upgrade for %s", version, r.CurrentVersion)
	case !isVersion(r.CurrentVersion):
		l.hint, words = hintNoVersion, words+"and none can match "+r.CurrentVersion
	default:
		l.hint, words = hintNoBase, words+"none for the base of "+r.CurrentVersion
	}
	if len(r.Warnings) > 0 {
		l.warn(words + "; " + r.Warnings[0])
		return
	}
	l.ok(words)
}

// isVersion reports whether a version can have a hotfix.
func isVersion(version string) bool {
	_, ok := pointer.Base(version)
	return ok
}
