package lpstest

import (
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

// Reply is one scripted answer of a [Server]. The zero value is OK with an empty config for the component that was
// asked for.
type Reply struct {
	// Config is the document's text.
	Config string
	// Component replaces the component's name in the answer. The default is the one asked for.
	Component string
	// RawBody replaces the whole response message, protobuf or not, of any size. Config and Component then mean nothing.
	RawBody []byte

	// Code is the status. Other than OK, it comes without a message body.
	Code codes.Code
	// Message is the grpc-message of a Code that is not OK.
	Message string
	// EchoToken appends the call's authorization to the grpc-message, as a server that logs too much does.
	EchoToken bool
	// Trailer is sent with the status, for example grpc-retry-pushback-ms.
	Trailer metadata.MD

	// Delay is how long the server waits before it answers.
	Delay time.Duration
	// Hang keeps the call open without an answer until the client gives up or the server is stopped.
	Hang bool
	// Reset resets the TCP connection after the delay, instead of an answer.
	Reset bool
}
