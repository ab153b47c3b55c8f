package front

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatusOfLine(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "502", statusOfLine("HTTP/1.1 502 Bad Gateway"))
	assert.Empty(t, statusOfLine("HTTP/1.1 5"))
	assert.Empty(t, statusOfLine("HTTP/1.1 x\toutcome=lpsRead"))
	assert.Equal(t, "502", statusOfLine("HTTP/1.1 502\toutcome=lpsRead"))
}
