package grpc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/metadata"

	"github.com/bootpointer/bootpointer/internal/lpspb/hostpb"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
)

// R1: a host with a generated copy of the service's messages links this transport. The binary starts, and in it the
// host's own call works as well as ours, against one service.
func TestR1HostWithItsOwnCopy(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t, lpstest.WithToken(testToken))
	lps.Serve(component, document)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), transport.StaticToken(testToken))

	doc, err := fetch(t, tr)
	require.NoError(t, err)

	var reply hostpb.GetComponentConfigResponse
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", testToken)
	require.NoError(t, tr.current.cc.Invoke(ctx, method, &hostpb.GetComponentConfigRequest{ComponentName: component}, &reply,
		grpc.ForceCodecV2(encoding.GetCodecV2("proto"))))

	assert.Equal(t, component, reply.GetComponentName())
	assert.Equal(t, string(doc.Body), reply.GetConfig())
	assert.Len(t, lps.Calls(), 2)
}
