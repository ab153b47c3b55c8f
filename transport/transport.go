package transport

import (
	"context"
	"crypto/x509"
)

// MaxDocumentSize is the largest document body in bytes that a transport returns: 1 MiB, a thousand times what
// a pointer for ten years of monthly images takes.
const MaxDocumentSize = 1 << 20

// A Transport fetches documents from one kind of source.
//
// Fetch returns the document of one component. It is safe for concurrent use. It honours ctx: once ctx is done
// it returns soon (a Resolver leaves it behind after 100 ms), and it does not blame the source for the caller's own
// cancellation. Every failure is an
// [*Error] with a class and a reason; a failure comes with the zero Document. A document is never larger than
// [MaxDocumentSize] and belongs to the caller, who may change its bytes. Secrets that Fetch sends never reach an
// error.
//
// Fetch leaves no goroutine behind. A transport that keeps a connection between calls has a Close method, and
// whoever built it calls that.
type Transport interface {
	Fetch(ctx context.Context, req Request) (Document, error)
}

// Request names what to fetch. The zero value asks for nothing and is refused by every transport.
type Request struct {
	// Component is the component whose document is asked for, byte for byte, for example "aksNodeController".
	Component string
}

// Document is the answer of a transport. Its body is opaque here: the consumer parses it.
type Document struct {
	// Component is the component the document is for, as the source named it.
	Component string
	// Body is the document's text, at most MaxDocumentSize bytes.
	Body []byte
	// Code is the status that the document came with, for example "OK" or "200". It is empty where there is none.
	Code string
}

// Endpoint is the front that a network transport talks to, and whom to trust there.
type Endpoint struct {
	// Host is the normalised name or IP literal (without brackets) of the API server's front.
	Host string
	// CAs are the cluster's certificate authorities, the only ones trusted. Without any there is no connection.
	CAs []*x509.Certificate
}

// Endpoint returns e, so that a fixed value is an [EndpointSource].
func (e Endpoint) Endpoint(context.Context) (Endpoint, error) { return e, nil }

// An EndpointSource finds the endpoint when it is needed, for example in the node's config. It is safe for
// concurrent use and honours ctx.
type EndpointSource interface {
	Endpoint(ctx context.Context) (Endpoint, error)
}

// A TokenSource obtains the proof of the node's identity that a network transport presents, for example the
// attested document of the instance metadata service. It is safe for concurrent use and honours ctx. Neither its
// errors nor its logs contain the token.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
}
