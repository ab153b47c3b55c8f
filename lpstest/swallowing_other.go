//go:build !linux

package lpstest

import (
	"errors"
	"fmt"
)

// NewSwallowing returns such a port. On systems other than Linux the error is [errors.ErrUnsupported].
func NewSwallowing() (*Swallowing, error) {
	return nil, fmt.Errorf("lpstest: a port that swallows: %w", errors.ErrUnsupported)
}
