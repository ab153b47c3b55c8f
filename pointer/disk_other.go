//go:build !linux

package pointer

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// openFlags keep an open from waiting at a pipe.
const openFlags = syscall.O_NONBLOCK

// attributes are what a file keeps when it is replaced: here its mode alone.
type attributes struct{ mode fs.FileMode }

func attributesOf(_ *os.File, info fs.FileInfo) (*attributes, error) {
	return &attributes{mode: info.Mode()}, nil
}

func (a *attributes) apply(f *os.File) error { return f.Chmod(a.mode) }

func exchange(string, string) error { return errors.ErrUnsupported }

func place(string, string) error { return errors.ErrUnsupported }

func syncDir(dir *os.File) error {
	if runtime.GOOS == "windows" { // it has no fsync for directories
		return nil
	}
	return dir.Sync()
}

func lock(*os.File) error { return errors.ErrUnsupported }

func openForWriting(*os.File) bool { return false }
