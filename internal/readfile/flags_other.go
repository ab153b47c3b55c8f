//go:build !unix

package readfile

import "os"

const openFlags = os.O_RDONLY
