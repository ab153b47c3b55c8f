package grpc

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// rawCodec passes messages as bytes, so that a reply that does not decode is our finding, not a status that the
// library made up.
type rawCodec struct{}

// Name is empty: the content type is plain application/grpc.
func (rawCodec) Name() string { return "" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("raw codec: message is a %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*b)}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("raw codec: message is a %T", v)
	}
	*b = data.Materialize()
	return nil
}
