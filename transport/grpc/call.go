package grpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/bootpointer/bootpointer/internal/token"
	"github.com/bootpointer/bootpointer/transport"
)

const method = "/akslivepatching.v1.LivePatchingService/GetComponentConfig"

// call asks for one document. The trailer comes with an error too.
func (s *session) call(ctx context.Context, req transport.Request) (transport.Document, metadata.MD, error) {
	if !utf8.ValidString(req.Component) {
		return transport.Document{}, nil, &transport.Error{Class: transport.Authoritative,
			Reason: transport.ReasonConfig, Op: "request", Err: errUTF8}
	}
	// The stream ends with the call, whatever became of it.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var v verdict
	ctx = recordVerdict(metadata.NewOutgoingContext(ctx, metadata.Pairs("authorization", s.secret)), &v)
	stream, err := s.cc.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, method)
	if err != nil {
		return transport.Document{}, nil, classify(ctx, s.op, err, &v, s.secret)
	}
	out, err := exchange(stream, appendRequest(nil, req.Component))
	if errors.Is(err, errReply) {
		err = s.malformed(err)
	} else if err != nil {
		err = classify(ctx, s.op, err, &v, s.secret)
	}
	if err != nil {
		return transport.Document{}, stream.Trailer(), err
	}
	doc, err := s.document(out, req)
	return doc, stream.Trailer(), err
}

// errReply marks an answer whose status is OK and whose messages are not what a unary method sends.
var errReply = errors.New("unusable reply")

// exchange sends the one message of a unary call and receives the one of its reply. The call is a stream to the library,
// which would otherwise make up a status for a reply without a message, or with two.
func exchange(stream grpc.ClientStream, in []byte) ([]byte, error) {
	// An error of sending is told better by receiving.
	if err := stream.SendMsg(&in); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var out, more []byte
	switch err := stream.RecvMsg(&out); {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: OK without a message", errReply)
	case err != nil:
		return nil, err
	}
	switch err := stream.RecvMsg(&more); {
	case err == nil:
		return nil, fmt.Errorf("%w: more than one message", errReply)
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return out, nil
}

// document decodes a reply.
func (s *session) document(reply []byte, req transport.Request) (transport.Document, error) {
	name, config, err := parseReply(reply)
	switch {
	case err != nil:
		return transport.Document{}, s.malformed(err)
	case token.Echoed(string(reply), s.secret):
		// Nothing of the reply may be shown, in a warning or anywhere else, so none of it is used.
		return transport.Document{}, s.malformed(errors.New("the reply has a part of the token in it"))
	case name != "" && name != req.Component:
		return transport.Document{}, s.malformed(fmt.Errorf("the reply is for component %.64q, asked for %.64q", name, req.Component))
	case len(config) > transport.MaxDocumentSize:
		return transport.Document{}, s.malformed(fmt.Errorf("the document has %d bytes, at most %d are allowed",
			len(config), transport.MaxDocumentSize))
	case config == "":
		return transport.Document{}, &transport.Error{Class: transport.Benign, Reason: transport.ReasonEmpty, Op: s.op,
			Code: codes.OK.String(), Err: errors.New("the service has an empty document for this node")}
	}
	return transport.Document{Component: req.Component, Body: []byte(config), Code: codes.OK.String()}, nil
}

// malformed is the error of a reply that cannot be used.
func (s *session) malformed(err error) error {
	return &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonMalformed, Op: s.op,
		Code: codes.OK.String(), Err: err}
}
