package lpstest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/metadata"
)

// maxFrame and maxHeaderList bound what one read takes, in bytes: the default frame size of RFC 9113 and room for
// several tokens.
const (
	maxFrame      = 1 << 14
	maxHeaderList = 1 << 17
)

// Request is one HEADERS that reached a [RawHTTP2].
type Request struct {
	// Stream is the stream's identifier. Identifiers are unique within a connection only.
	Stream uint32
	// Header has all fields, pseudo-fields such as ":path" and the token included.
	Header metadata.MD
	// Time is when the HEADERS came, and Remote the client's address.
	Time   time.Time
	Remote string
}

// RawHTTP2 speaks HTTP/2 frame by frame, to answer requests as no gRPC server does.
type RawHTTP2 struct {
	tlsPeer
	noSettings bool

	mu       sync.Mutex
	script   []Action
	requests []Request
}

// NewRawHTTP2 returns a server that is up. Its requests hang until [RawHTTP2.Respond] says otherwise.
func NewRawHTTP2(opts ...Option) (*RawHTTP2, error) {
	o, err := newOptions(opts, aboutTLS|aboutSettings)
	if err != nil {
		return nil, err
	}
	peer, err := newTLSPeer(o)
	if err != nil {
		return nil, err
	}
	s := &RawHTTP2{tlsPeer: peer, noSettings: o.noSettings, script: []Action{Silence()}}
	s.serve(func(conn *tls.Conn) { _ = s.frames(conn) })
	return s, nil
}

// Respond sets the script: each request stream takes the next action when the client has sent all of it, and the last
// action stays. Without actions, streams hang.
func (s *RawHTTP2) Respond(actions ...Action) {
	if len(actions) == 0 {
		actions = []Action{Silence()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = slices.Clone(actions)
}

// Requests returns every HEADERS so far, in the order in which they came.
func (s *RawHTTP2) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// frames serves a connection until it ends or an action ends it.
func (s *RawHTTP2) frames(conn net.Conn) error {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return err
	}
	if string(preface) != http2.ClientPreface {
		return errors.New("not HTTP/2")
	}
	framer := http2.NewFramer(conn, conn)
	framer.SetMaxReadFrameSize(maxFrame)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	framer.MaxHeaderListSize = maxHeaderList
	if !s.noSettings {
		if err := framer.WriteSettings(); err != nil {
			return err
		}
	}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err
		}
		if h, ok := frame.(*http2.MetaHeadersFrame); ok {
			s.record(h, conn)
		}
		if s.noSettings {
			continue
		}
		if err := s.react(framer, frame); err != nil {
			return err
		}
	}
}

// react answers the end of a request by the next action, and what HTTP/2 itself wants answered.
func (s *RawHTTP2) react(framer *http2.Framer, frame http2.Frame) error {
	switch f := frame.(type) {
	case *http2.MetaHeadersFrame:
		if f.StreamEnded() {
			return s.next().do(framer, f.StreamID)
		}
	case *http2.DataFrame:
		if n := f.Length; n > 0 {
			if err := framer.WriteWindowUpdate(0, n); err != nil {
				return err
			}
		}
		if f.StreamEnded() {
			return s.next().do(framer, f.StreamID)
		}
	case *http2.SettingsFrame:
		if !f.IsAck() {
			return framer.WriteSettingsAck()
		}
	case *http2.PingFrame:
		if !f.IsAck() {
			return framer.WritePing(true, f.Data)
		}
	}
	return nil
}

func (s *RawHTTP2) record(h *http2.MetaHeadersFrame, conn net.Conn) {
	request := Request{
		Stream: h.StreamID,
		Header: make(metadata.MD),
		Time:   time.Now(),
		Remote: conn.RemoteAddr().String(),
	}
	for _, f := range h.Fields {
		request.Header[f.Name] = append(request.Header[f.Name], f.Value)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
}

func (s *RawHTTP2) next() Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	action := s.script[0]
	if len(s.script) > 1 {
		s.script = s.script[1:]
	}
	return action
}
