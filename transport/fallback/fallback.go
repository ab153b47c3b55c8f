package fallback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/bootpointer/bootpointer/transport"
)

// A Source may hold a pointer document. Pointer returns its text, or nil and no error when it holds none. It is safe
// for concurrent use and honours ctx. The node's config is a source: *nodeconfig.File.
type Source interface {
	Pointer(ctx context.Context) ([]byte, error)
}

// Bytes is a source with a fixed text, for example one embedded in the program. An empty one holds no pointer.
type Bytes []byte

// Pointer returns a copy of b.
func (b Bytes) Pointer(context.Context) ([]byte, error) { return append([]byte(nil), b...), nil }

// FS returns a source that reads the file name of fsys, for example an embed.FS. A file that does not exist holds no
// pointer.
func FS(fsys fs.FS, name string) Source { return file{fsys: fsys, name: name} }

type file struct {
	fsys fs.FS
	name string
}

func (f file) Pointer(context.Context) ([]byte, error) {
	r, err := f.fsys.Open(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// One byte more than allowed, so that Fetch sees what is too large.
	return io.ReadAll(io.LimitReader(r, transport.MaxDocumentSize+1))
}

// Transport returns the pointer of the first source that has one. It is safe for concurrent use.
type Transport struct {
	component string
	sources   []Source
}

var _ transport.Transport = (*Transport)(nil)

// New returns a transport for the embedded pointer of component, which looks in sources in this order.
func New(component string, sources ...Source) (*Transport, error) {
	if component == "" {
		return nil, errors.New("fallback transport: needs the component that the pointer is for")
	}
	if len(sources) == 0 {
		return nil, errors.New("fallback transport: no sources")
	}
	for i, s := range sources {
		if s == nil {
			return nil, fmt.Errorf("fallback transport: source %d is nil", i+1)
		}
	}
	return &Transport{component: component, sources: append([]Source(nil), sources...)}, nil
}

// Fetch implements [transport.Transport]. A source that fails is passed over; its error is part of the result when
// no other has a pointer.
func (t *Transport) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	if req.Component != t.component {
		return transport.Document{}, noPointer(fmt.Errorf("component %.64q has no embedded pointer", req.Component))
	}
	var failures []error
	for _, s := range t.sources {
		if err := transport.ContextError(ctx, "embedded pointer"); err != nil {
			return transport.Document{}, err
		}
		body, err := s.Pointer(ctx)
		switch {
		case err != nil:
			failures = append(failures, err)
		case len(body) > transport.MaxDocumentSize:
			return transport.Document{}, &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonMalformed,
				Op: "embedded pointer", Err: fmt.Errorf("has more than %d bytes", transport.MaxDocumentSize)}
		case len(body) > 0:
			return transport.Document{Component: t.component, Body: body}, nil
		}
	}
	if err := transport.ContextError(ctx, "embedded pointer"); err != nil {
		return transport.Document{}, err
	}
	if len(failures) == 0 {
		failures = append(failures, errors.New("none is embedded in this node"))
	}
	return transport.Document{}, noPointer(errors.Join(failures...))
}

func noPointer(err error) error {
	return &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonNoPointer,
		Op: "embedded pointer", Err: err}
}
