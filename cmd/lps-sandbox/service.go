package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/lpstest"
)

// protocol is how the service is asked. It has an address for each.
type protocol uint8

const (
	overGRPC protocol = iota
	overHTTPS
)

// opener opens a peer where the service is asked over p.
type opener func(p protocol, at site) (*peer, error)

// site is what a peer of the service needs to open.
type site struct {
	address string
	ca      *lpstest.CA // the one that the node trusts
}

// tlsOption is how a peer does TLS other than a healthy service. ca is the one that the node trusts.
type tlsOption func(ca *lpstest.CA) (lpstest.Option, error)

// options returns those that peers with TLS have in common.
func (at site) options(tls []tlsOption) ([]lpstest.Option, error) {
	opts := []lpstest.Option{lpstest.WithAddress(at.address), lpstest.WithCA(at.ca)}
	for _, option := range tls {
		opt, err := option(at.ca)
		if err != nil {
			return nil, err
		}
		opts = append(opts, opt)
	}
	return opts, nil
}

// serving opens a service that has document for check-hotfix's component, and nothing for others.
func serving(document string, tls ...tlsOption) opener {
	return func(p protocol, at site) (*peer, error) {
		opts, err := at.options(tls)
		if err != nil {
			return nil, err
		}
		if p == overHTTPS {
			return openHTTPS(opts, func(s *lpstest.HTTPS) { s.Serve(document) }, "200 "+preview(document))
		}
		serve := func(s *lpstest.Server) { s.Serve(bootpointer.DefaultComponent, document) }
		return openGRPC(opts, serve, func(component string) string {
			if component != bootpointer.DefaultComponent {
				return "NotFound"
			}
			return "OK " + preview(document)
		})
	}
}

// answering opens a service that answers every request with r.
func answering(r reply) opener {
	return func(p protocol, at site) (*peer, error) {
		opts, err := at.options(nil)
		if err != nil {
			return nil, err
		}
		if p == overHTTPS {
			return openHTTPS(opts, func(s *lpstest.HTTPS) { s.Respond(r.https) }, tellHTTPS(r.https))
		}
		return openGRPC(opts, func(s *lpstest.Server) { s.Respond(r.grpc) }, func(string) string { return tellGRPC(r.grpc) })
	}
}

// openGRPC opens the service over gRPC. answer says what a component's request is answered.
func openGRPC(opts []lpstest.Option, set func(*lpstest.Server), answer func(component string) string) (*peer, error) {
	s, err := lpstest.New(opts...)
	if err != nil {
		return nil, err
	}
	set(s)
	return &peer{Closer: s, address: s.Addr(), news: []func() []sighting{
		news(s.Handshakes, tellHandshake),
		news(s.Calls, func(c lpstest.Call) (sighting, bool) {
			return sighting{time: c.Time, text: fmt.Sprintf("asked for %.64q%s: %s", c.Component, withToken(c.Token()), answer(c.Component))}, true
		}),
	}}, nil
}

// openHTTPS opens the service over HTTPS. answer says what a request for the document is answered.
func openHTTPS(opts []lpstest.Option, set func(*lpstest.HTTPS), answer string) (*peer, error) {
	s, err := lpstest.NewHTTPS(opts...)
	if err != nil {
		return nil, err
	}
	set(s)
	return &peer{Closer: s, address: s.Addr(), news: []func() []sighting{
		news(s.Handshakes, tellHandshake),
		news(s.Requests, func(r lpstest.HTTPSRequest) (sighting, bool) {
			answer := answer
			switch {
			case r.Method != http.MethodGet:
				answer = "405"
			case r.Path != lpstest.HTTPSPath:
				answer = "404"
			}
			return sighting{time: r.Time, text: fmt.Sprintf("%.16q %.64q%s: %s", r.Method, r.Path, withToken(r.Token()), answer)}, true
		}),
	}}, nil
}

// framing opens a peer that answers every request with frames of HTTP/2.
func framing(action lpstest.Action, answer string) opener {
	return func(_ protocol, at site) (*peer, error) {
		opts, err := at.options(nil)
		if err != nil {
			return nil, err
		}
		s, err := lpstest.NewRawHTTP2(opts...)
		if err != nil {
			return nil, err
		}
		s.Respond(action)
		return &peer{Closer: s, address: s.Addr(), news: []func() []sighting{
			news(s.Handshakes, tellHandshake),
			news(s.Requests, func(r lpstest.Request) (sighting, bool) {
				path, token := first(r.Header.Get(":path")), first(r.Header.Get("authorization"))
				return sighting{time: r.Time, text: fmt.Sprintf("asked for %.80q%s: %s", path, withToken(token), answer)}, true
			}),
		}}, nil
	}
}

// accepting opens a peer that gets no further than TCP.
func accepting(open func(...lpstest.Option) (*lpstest.TCPPeer, error), answer string) opener {
	return func(_ protocol, at site) (*peer, error) {
		p, err := open(lpstest.WithAddress(at.address))
		if err != nil {
			return nil, err
		}
		conns := func() []struct{} { return make([]struct{}, p.Conns()) }
		return &peer{Closer: p, address: p.Addr(), news: []func() []sighting{
			news(conns, func(struct{}) (sighting, bool) {
				return sighting{time: time.Now(), text: "connection: " + answer}, true
			}),
		}}, nil
	}
}

// dropping opens a port that drops packets.
func dropping(_ protocol, at site) (*peer, error) {
	s, err := lpstest.NewSwallowing(lpstest.WithAddress(at.address))
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.New("dropped packets need Linux")
	}
	if err != nil {
		return nil, err
	}
	return &peer{Closer: s, address: s.Addr()}, nil
}

// nobody leaves the address to nobody.
func nobody(protocol, site) (*peer, error) { return &peer{Closer: nothing{}}, nil }

type nothing struct{}

// Close does nothing.
func (nothing) Close() error { return nil }
