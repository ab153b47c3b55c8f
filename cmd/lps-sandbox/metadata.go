package main

import (
	"fmt"

	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// identity is what the metadata service answers.
type identity struct {
	reply imdstest.Reply
	says  string
}

// openMetadata opens a metadata service. An empty signature makes a new one.
func openMetadata(address, signature string, id identity) (*peer, *imdstest.Server, error) {
	opts := []imdstest.Option{imdstest.WithAddress(address)}
	if signature != "" {
		opts = append(opts, imdstest.WithSignature(signature))
	}
	s, err := imdstest.New(opts...)
	if err != nil {
		return nil, nil, err
	}
	s.Respond(id.reply)
	p := &peer{Closer: s, news: []func() []sighting{
		news(s.Requests, func(r imdstest.Request) (sighting, bool) {
			if r.Refused {
				return sighting{time: r.Time, text: fmt.Sprintf("%.16q %.64q: refused, as the real one would", r.Method, r.Path)}, true
			}
			return sighting{time: r.Time, text: "asked for the attested document: " + id.says}, true
		}),
	}}
	return p, s, nil
}
