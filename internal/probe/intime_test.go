package probe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What a first transport leaves over, since no token came, the second has.
func TestMetadataTime(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 3*time.Second, metadataTime(4*time.Second, 1))
	assert.Equal(t, 1875*time.Millisecond, metadataTime(2*time.Second, 2))
}
