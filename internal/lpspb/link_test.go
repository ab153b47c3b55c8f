package lpspb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/bootpointer/bootpointer/internal/lpspb"
	"github.com/bootpointer/bootpointer/internal/lpspb/hostpb"
)

// That this binary starts is half of the test: the registry panics when a name is taken.
func TestR1BothCopiesInOneBinary(t *testing.T) {
	t.Parallel()
	host, err := proto.Marshal(&hostpb.GetComponentConfigResponse{ComponentName: "aksNodeController", Config: "{}"})
	require.NoError(t, err)
	var ours lpspb.GetComponentConfigResponse
	require.NoError(t, proto.Unmarshal(host, &ours))
	assert.Equal(t, "aksNodeController", ours.GetComponentName())
	assert.Equal(t, "{}", ours.GetConfig())

	request, err := proto.Marshal(&lpspb.GetComponentConfigRequest{ComponentName: "aksNodeController"})
	require.NoError(t, err)
	var theirs hostpb.GetComponentConfigRequest
	require.NoError(t, proto.Unmarshal(request, &theirs))
	assert.Equal(t, "aksNodeController", theirs.GetComponentName())

	assert.NotEqual(t, hostpb.File_akslivepatching_v1_livepatching_proto.Path(),
		lpspb.File_bootpointer_livepatching_v1_livepatching_proto.Path())
}
