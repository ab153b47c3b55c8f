//go:build !linux

package lpstest

import (
	"errors"
	"fmt"
)

// NewSwallowing returns such a port. Of the options it takes [WithAddress], with an IPv4 address. On systems other than
// Linux the error is [errors.ErrUnsupported].
func NewSwallowing(...Option) (*Swallowing, error) {
	return nil, fmt.Errorf("lpstest: a port that swallows: %w", errors.ErrUnsupported)
}
