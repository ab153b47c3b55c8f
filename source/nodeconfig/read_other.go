//go:build !unix

package nodeconfig

import "os"

const openFlags = os.O_RDONLY
