package grpc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/bootpointer/bootpointer/internal/lpspb"
)

func TestAppendRequest(t *testing.T) {
	t.Parallel()
	for _, name := range []string{component, "", "\u00e4"} {
		var generated lpspb.GetComponentConfigRequest
		require.NoError(t, proto.Unmarshal(appendRequest(nil, name), &generated))
		assert.Equal(t, name, generated.GetComponentName())
	}
}
