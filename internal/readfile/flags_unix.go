//go:build unix

package readfile

import (
	"os"
	"syscall"
)

// openFlags keep open(2) from waiting for the writer of a pipe, and let its reads be interrupted.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK
