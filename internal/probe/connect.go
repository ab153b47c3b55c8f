package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bootpointer/bootpointer/internal/dial"
	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

// connect walks from the name to one TLS connection for each transport, and returns the layers dns, tcp, and tls and alpn
// of each.
func (p *run) connect(ctx context.Context) []Layer {
	dns, addrs := p.resolve(ctx)
	tcp := p.dialAll(ctx, addrs)
	shakes := make([][]Layer, len(p.Transports))
	var all sync.WaitGroup
	for i, t := range p.Transports {
		all.Go(func() {
			tls, alpn := p.shakeHands(ctx, t, tcp.Status)
			shakes[i] = []Layer{tls, alpn}
		})
	}
	all.Wait()
	layers := []Layer{dns, tcp}
	for _, s := range shakes {
		layers = append(layers, s...)
	}
	return layers
}

// resolve returns the addresses to dial, in the resolver's order.
func (p *run) resolve(ctx context.Context) (l Layer, addrs []netip.AddrPort) {
	l = p.begin(LayerDNS, "")
	defer p.end(ctx, &l)
	host, port, err := net.SplitHostPort(p.Front.Address(p.config.Host))
	if err != nil || host == "" {
		l.skip("no API server name")
		return l, nil
	}
	l.Tried = "resolve " + host
	limited, cancel := p.setUpTime(ctx)
	defer cancel()
	number, err := net.DefaultResolver.LookupPort(limited, "tcp", port)
	if err != nil {
		l.fail(string(transport.ReasonDNS), "port", err.Error())
		return l, nil
	}
	var found []netip.Addr
	if literal, err := netip.ParseAddr(host); err == nil {
		found = []netip.Addr{literal}
		l.ok(host + " is an address, nothing to resolve")
	} else if found, err = p.Lookup(limited, host); err != nil {
		l.fail(string(transport.ReasonDNS), dnsHint(err), err.Error())
		return l, nil
	}
	var list []string
	for _, a := range found {
		addrs = append(addrs, netip.AddrPortFrom(a.Unmap(), uint16(number)))
		list = append(list, a.Unmap().String())
	}
	if len(list) > maxListed {
		addrs, list = addrs[:maxListed], list[:maxListed]
	}
	l.detail("addresses", list)
	if l.Status == "" {
		l.ok(host + " is " + strings.Join(list, ", "))
	}
	return l, addrs
}

func dnsHint(err error) string {
	e, ok := errors.AsType[*net.DNSError](err)
	switch {
	case ok && e.IsNotFound:
		return "not-found"
	case ok && e.IsTimeout, errors.Is(err, context.DeadlineExceeded):
		return "silent"
	case dial.NoRoute(err), refusedDNS(err):
		return "unreachable"
	}
	return ""
}

// refusedDNS reports whether nothing listens where a name server should. A resolver's error has the cause in its text only.
func refusedDNS(err error) bool { return strings.Contains(err.Error(), syscall.ECONNREFUSED.Error()) }

// dialed is what became of one address.
type dialed struct {
	took time.Duration
	err  error
}

// dialAll connects to every address by itself, side by side.
func (p *run) dialAll(ctx context.Context, addrs []netip.AddrPort) (l Layer) {
	l = p.begin(LayerTCP, "")
	defer p.end(ctx, &l)
	if len(addrs) == 0 {
		l.skip("no address")
		return l
	}
	l.Tried = fmt.Sprintf("connect to port %d of each address", addrs[0].Port())
	limited, cancel := p.setUpTime(ctx)
	defer cancel()
	dial := p.Front.Dial(transport.Endpoint{}, front.Hello{}).Dial
	results := make([]dialed, len(addrs))
	var all sync.WaitGroup
	for i, a := range addrs {
		all.Go(func() {
			began := time.Now()
			conn, err := dial(limited, "tcp", a.String())
			results[i] = dialed{time.Since(began), err}
			if err == nil {
				conn.Close()
			}
		})
	}
	all.Wait()
	p.judgeTCP(&l, addrs, results)
	return l
}

func (p *run) judgeTCP(l *Layer, addrs []netip.AddrPort, results []dialed) {
	var list []string
	var first error
	good := 0
	for i, r := range results {
		words := "connected"
		if r.err != nil {
			words = cause(r.err)
			if first == nil {
				first = r.err
			}
		} else {
			good++
		}
		list = append(list, fmt.Sprintf("%s: %s in %s", addrs[i], words, Rounded(r.took)))
	}
	l.detail("connections", list)
	switch {
	case good == len(results):
		l.ok(strings.Join(list, "; "))
	case good > 0:
		l.warn(fmt.Sprintf("%d of %d addresses answer: %s", good, len(results), strings.Join(list, "; ")))
	default:
		l.fail(string(transport.ReasonConnect), tcpHint(first), strings.Join(list, "; "))
	}
}

// cause is the error of the system call alone: the address stands beside it.
func cause(err error) string {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

func tcpHint(err error) string {
	e, ok := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "unreachable"
	case ok && e.Timeout():
		return "silent"
	}
	return ""
}
