package lpstest

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/bootpointer/bootpointer/internal/lpspb"
)

// serviceDesc describes the service by hand: generated code for akslivepatching.v1 would clash with other copies.
func serviceDesc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: "akslivepatching.v1.LivePatchingService",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{
			MethodName: "GetComponentConfig",
			Handler: func(srv any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
				var req lpspb.GetComponentConfigRequest
				if err := decode(&req); err != nil {
					return nil, status.Error(codes.Internal, "request is not protobuf")
				}
				return srv.(*Server).getComponentConfig(ctx, &req)
			},
		}},
	}
}

// rawCodec is protobuf that sends a []byte as it is.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case []byte:
		return v, nil
	case proto.Message:
		return proto.Marshal(v)
	}
	return nil, fmt.Errorf("lpstest: cannot send a %T", v)
}

func (rawCodec) Unmarshal(data []byte, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("lpstest: cannot receive a %T", v)
	}
	return proto.Unmarshal(data, m)
}
