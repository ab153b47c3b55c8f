//go:build unix

package probe

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable returns why no file could be made in folder, as far as the system tells without one being made.
func writable(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }

// immutable reports whether nobody may replace the file, root included: then the system answers EPERM where otherwise it
// would say EACCES (chattr(1)).
func immutable(file string) bool { return errors.Is(unix.Access(file, unix.W_OK), unix.EPERM) }

// owner returns the file's user and group, where the system has them.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}
