package grpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/internal/lpspb"
	"github.com/bootpointer/bootpointer/transport"
)

const (
	method = "/akslivepatching.v1.LivePatchingService/GetComponentConfig"
	// alpn is what the front routes on; "h2" is what gRPC speaks.
	alpn = "aks-live-patching"
	// maxSessionAge is how long a connection and its token are used again. A token that has expired would be
	// refused, and a refusal reads as nothing being published; attested documents live for hours.
	maxSessionAge = 5 * time.Minute
)

// session is one verified connection and the token presented on it.
type session struct {
	cc     *grpc.ClientConn
	secret string
	op     string // what a call is named in errors
	born   time.Time
}

// session returns the open session, or sets up a new one.
func (t *Transport) session(ctx context.Context, b front.Budget, r *front.Retry) (*session, error) {
	ctx, cancel := b.ForSetUp(ctx)
	defer cancel()
	select {
	case t.establishing <- struct{}{}:
		defer func() { <-t.establishing }()
	case <-ctx.Done():
		return nil, transport.ContextError(ctx, "waiting for the connection")
	}
	if s := t.open(); s != nil {
		return s, nil
	}
	s, err := t.establish(ctx, r)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = s
	return s, nil
}

// open returns the current session if it can be used again.
func (t *Transport) open() *session {
	t.mu.Lock()
	s := t.current
	t.mu.Unlock()
	if s != nil && !s.usable() {
		t.drop(s)
		return nil
	}
	return s
}

// drop closes s, and forgets it if it is the current session.
func (t *Transport) drop(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.cc.Close()
	if t.current == s {
		t.current = nil
	}
}

// establish gets the token and the connection side by side.
func (t *Transport) establish(ctx context.Context, r *front.Retry) (*session, error) {
	var address string
	cc, secret, err := front.SetUp(ctx, t.sources, r, func(ctx context.Context, e transport.Endpoint) (*grpc.ClientConn, error) {
		address = t.options.Address(e.Host)
		return t.connect(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	return &session{cc: cc, secret: secret, op: "call to " + address, born: time.Now()}, nil
}

// connect opens a verified HTTP/2 connection to the front.
func (t *Transport) connect(ctx context.Context, e transport.Endpoint) (*grpc.ClientConn, error) {
	conn, err := t.options.Connect(ctx, e, front.Hello{SNI: e.Host, ALPN: []string{alpn, "h2"}})
	if err != nil {
		return nil, err
	}
	return newClientConn(ctx, conn, front.Authority(e.Host))
}

// usable reports whether another call can be made on s.
func (s *session) usable() bool {
	return s.cc.GetState() == connectivity.Ready && time.Since(s.born) < maxSessionAge
}

// answer is what a call left behind besides its document.
type answer struct {
	trailer metadata.MD
	streams int32
}

// call asks for one document.
func (s *session) call(ctx context.Context, req transport.Request) (transport.Document, answer, error) {
	in, err := proto.Marshal(&lpspb.GetComponentConfigRequest{ComponentName: req.Component})
	if err != nil {
		return transport.Document{}, answer{}, &transport.Error{Class: transport.Authoritative,
			Reason: transport.ReasonConfig, Op: "request", Err: err}
	}
	var v verdict
	var a answer
	var out []byte
	ctx = recordVerdict(metadata.NewOutgoingContext(ctx, metadata.Pairs("authorization", s.secret)), &v)
	err = s.cc.Invoke(ctx, method, &in, &out, grpc.Trailer(&a.trailer))
	a.streams = v.streams.Load()
	if err != nil {
		return transport.Document{}, a, classify(ctx, s.op, err, v.trailers.Load(), s.secret)
	}
	doc, err := s.document(out, req)
	return doc, a, err
}

// document decodes a reply.
func (s *session) document(reply []byte, req transport.Request) (transport.Document, error) {
	var msg lpspb.GetComponentConfigResponse
	err := proto.Unmarshal(reply, &msg)
	switch name := msg.GetComponentName(); {
	case err != nil:
	case name != "" && name != req.Component:
		err = fmt.Errorf("the reply is for component %.64q, asked for %.64q", name, req.Component)
	case len(msg.GetConfig()) > transport.MaxDocumentSize:
		err = fmt.Errorf("the document has %d bytes, at most %d are allowed", len(msg.GetConfig()), transport.MaxDocumentSize)
	case msg.GetConfig() == "":
		return transport.Document{}, &transport.Error{Class: transport.Benign, Reason: transport.ReasonEmpty, Op: s.op,
			Code: codes.OK.String(), Err: errors.New("the service has an empty document for this node")}
	default:
		return transport.Document{Component: req.Component, Body: []byte(msg.GetConfig()), Code: codes.OK.String()}, nil
	}
	return transport.Document{}, &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonMalformed,
		Op: s.op, Code: codes.OK.String(), Err: err}
}
