package main

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

// peer is whoever is at an address at the moment.
type peer struct {
	io.Closer
	address string
	news    []func() []sighting // what reached it since they were last called
}

// sighting is something that reached a peer.
type sighting struct {
	time  time.Time
	place string
	text  string
}

// String returns the line about it.
func (s sighting) String() string {
	return fmt.Sprintf("%s  %-8s  %s", s.time.Format("15:04:05.000"), s.place, s.text)
}

// news returns a function that tells of the records that were added since it was last called. tell may leave one out.
func news[T any](records func() []T, tell func(T) (sighting, bool)) func() []sighting {
	told := 0
	return func() []sighting {
		all := records()
		var sightings []sighting
		for _, record := range all[told:] {
			if s, ok := tell(record); ok {
				sightings = append(sightings, s)
			}
		}
		told = len(all)
		return sightings
	}
}

// place is an address whose peers come and go.
type place struct {
	name    string
	address string
	peer    *peer
	last    []sighting // of peers that are gone
}

// replace closes the peer and opens another one at the same address. When that fails, nobody is there. For a second it puts
// up with the address being in use: any program may be given the port for a connection while nobody listens.
func (p *place) replace(open func(address string) (*peer, error)) error {
	p.close()
	next, err := open(p.address)
	for end := time.Now().Add(time.Second); errors.Is(err, syscall.EADDRINUSE) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		next, err = open(p.address)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	p.peer = next
	if next.address != "" {
		p.address = next.address
	}
	return nil
}

// close closes the peer, if there is one. What reached it is still told of.
func (p *place) close() {
	if p.peer == nil {
		return
	}
	_ = p.peer.Close()
	p.last = p.news()
	p.peer = nil
}

// news returns what came since the last time.
func (p *place) news() []sighting {
	all := p.last
	p.last = nil
	if p.peer != nil {
		for _, more := range p.peer.news {
			all = append(all, more()...)
		}
	}
	for i := range all {
		all[i].place = p.name
	}
	return all
}
