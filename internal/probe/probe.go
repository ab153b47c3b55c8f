package probe

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/transport"
)

// Config is what a check would run with.
type Config struct {
	// NodeConfig and NBCCmd are the files to read, the second where the first does not exist.
	NodeConfig, NBCCmd string
	// Tokens is where the node's identity comes from, and Metadata what people call it.
	Tokens   transport.TokenSource
	Metadata string
	// AskMetadata is the URL of the attested document.
	AskMetadata string
	// Front is what is dialled, and what it has to prove.
	Front front.Options
	// Lookup resolves names as the dialer of Front does.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Transports are those of the chain, in order.
	Transports []Transport
	// Pointer is the file that is staged to, Events the folder that the event is written to, or empty.
	Pointer, Events           string
	CurrentVersion, Component string
	// Timeout is what the network takes in all.
	Timeout time.Duration
}

// Transport is one of the chain.
type Transport struct {
	Name string
	// Hello is how it introduces itself to the front of that host.
	Hello func(host string) front.Hello
	New   func(transport.EndpointSource, transport.TokenSource) (transport.Transport, error)
}

// The time that reading the node config and looking at the pointer file and at the events folder may take each, and what a dry run may take on
// top of the call.
const (
	diskTime   = 2 * time.Second
	dryRunTime = 1250 * time.Millisecond
)

// Limit is the most that a probe takes with n transports. A transport's share is its part of the network's time. DNS, TCP
// and TLS each have what a check has of it to set up a call, and the metadata service beside them not more than all three; the
// call has all of it. A whole check may follow.
func Limit(timeout time.Duration, n int) time.Duration {
	share := timeout / time.Duration(n)
	return diskTime + 3*front.SetUpTime(share) + time.Duration(n)*(share+dryRunTime) + timeout + dryRunTime + 2*diskTime
}

// run is a probe under way.
type run struct {
	Config
	began time.Time
	share time.Duration

	config   nodeconfig.Config
	endpoint transport.Endpoint // zero unless it can be connected to
	secret   string             // empty if there is none
	resolved string             // the version that the answer has for this node
}

// Run walks all layers and returns what it found, at the latest after [Limit]. Metadata runs beside DNS, TCP and TLS, and
// TLS for all transports side by side; the rest is in sequence. It ends soon when ctx is cancelled.
func Run(ctx context.Context, c Config) Report {
	p := &run{Config: c, began: time.Now(), share: c.Timeout / time.Duration(len(c.Transports))}
	layers := []Layer{p.readConfig(ctx), p.lookAtCAs(ctx)}
	var network []Layer
	var metadata Layer
	var both sync.WaitGroup
	both.Go(func() { metadata = p.askMetadata(ctx) })
	both.Go(func() { network = p.connect(ctx) })
	both.Wait()
	layers = append(append(layers, metadata), network...)
	var calls []call
	for i, t := range c.Transports {
		secure, alpn := handshakeOf(network, i)
		calls = append(calls, p.call(ctx, t, secure, alpn))
		layers = append(layers, calls[i].Layer)
	}
	answer := answered(calls)
	late := false
	var also []string
	if p.uncertain(layers, calls, answer) && ctx.Err() == nil {
		if again := p.replay(ctx, metadata.Duration); again != nil {
			answer, also = again, tooLate(calls, again)
		} else {
			late = answer != nil
		}
	}
	file := p.lookAtFile(ctx)
	file.tell(answer)
	layers = append(layers, p.readPointer(ctx, answer), file, p.lookAtEvents(ctx))

	r := Report{CurrentVersion: c.CurrentVersion, Component: c.Component, Started: p.began, Layers: layers}
	p.diagnose(&r, answer, late, ctx.Err() != nil)
	r.Diagnosis.Also = append(r.Diagnosis.Also, also...)
	r.Duration = time.Since(p.began)
	makePrintable(&r, p.secret)
	return r
}

// begin begins a layer.
func (p *run) begin(name, transportName string) Layer {
	return Layer{Name: name, Transport: transportName, Start: time.Since(p.began)}
}

// interrupted is the result of a layer that was not tried, or not to its end, because ctx was cancelled.
const interrupted = "interrupted"

// end notes the time, and what an interruption cut short.
func (p *run) end(ctx context.Context, l *Layer) {
	l.Duration = time.Since(p.began) - l.Start
	if ctx.Err() != nil && l.Status != OK && l.Status != Warning {
		l.Class, l.Reason, l.Code, l.hint = "", "", "", ""
		l.skip(interrupted)
	}
}

// setUpTime bounds what a transport does before its call.
func (p *run) setUpTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, front.SetUpTime(p.share))
}

// grace is what do gets to say why it could not end in time.
const grace = 100 * time.Millisecond

// within returns what do returns, or false if that takes longer than limit or ctx ends: a read that hangs in the kernel
// is left behind.
func within[T any](ctx context.Context, limit time.Duration, do func(context.Context) T) (value T, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, limit-grace)
	defer cancel()
	values := make(chan T, 1)
	go func() { values <- do(ctx) }()
	select {
	case value = <-values:
		return value, true
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case value = <-values:
		return value, true
	case <-late.C:
		return value, false
	}
}
