package pointer

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from waiting at a pipe and from following a link planted after the path was resolved.
const openFlags = unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY

// maxAttribute is the kernel's limit in bytes for an extended attribute and for the list of their names (xattr(7)).
const maxAttribute = 64 << 10

// attributes are what a file keeps when it is replaced.
type attributes struct {
	mode     fs.FileMode
	uid, gid int
	// extended has security.selinux and user.*.
	extended map[string]string
}

func attributesOf(f *os.File, info fs.FileInfo) (*attributes, error) {
	a := &attributes{mode: info.Mode(), uid: -1, gid: -1}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		a.uid, a.gid = int(stat.Uid), int(stat.Gid)
	}
	var err error
	a.extended, err = extendedOf(f)
	return a, err
}

func extendedOf(f *os.File) (map[string]string, error) {
	buf := make([]byte, maxAttribute)
	fd := int(f.Fd())
	n, err := unix.Flistxattr(fd, buf)
	if err != nil {
		return nil, ignoreUnsupported(os.NewSyscallError("flistxattr", err))
	}
	extended := map[string]string{}
	for _, name := range strings.Split(string(buf[:n]), "\x00") {
		if name != "security.selinux" && !strings.HasPrefix(name, "user.") {
			continue
		}
		n, err := unix.Fgetxattr(fd, name, buf)
		if errors.Is(err, unix.ENODATA) {
			continue
		}
		if err != nil {
			return nil, os.NewSyscallError("fgetxattr", err)
		}
		extended[name] = string(buf[:n])
	}
	return extended, nil
}

// apply gives f the attributes, owner first: a change of owner clears mode bits.
func (a *attributes) apply(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	has, err := attributesOf(f, info)
	if err != nil {
		return err
	}
	if has.uid != a.uid || has.gid != a.gid {
		if err := f.Chown(a.uid, a.gid); err != nil {
			return err
		}
	}
	if err := f.Chmod(a.mode); err != nil {
		return err
	}
	for name, value := range a.extended {
		if old, ok := has.extended[name]; ok && old == value {
			continue
		}
		if err := unix.Fsetxattr(int(f.Fd()), name, []byte(value), 0); err != nil {
			return os.NewSyscallError("fsetxattr "+name, err)
		}
	}
	return nil
}

func ignoreUnsupported(err error) error {
	if unsupported(err) {
		return nil
	}
	return err
}

func exchange(a, b string) error {
	return renameat2(a, b, unix.RENAME_EXCHANGE)
}

func place(from, to string) error {
	return renameat2(from, to, unix.RENAME_NOREPLACE)
}

func renameat2(from, to string, flags uint) error {
	if err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags); err != nil {
		return &os.LinkError{Op: "renameat2", Old: from, New: to, Err: err}
	}
	return nil
}

func syncDir(dir *os.File) error { return dir.Sync() }

// lock takes the lock of a directory, or fails with EWOULDBLOCK. It ends when dir is closed.
func lock(dir *os.File) error {
	return os.NewSyscallError("flock", unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB))
}

// openForWriting reports whether somebody has f open for writing: then the kernel grants no read lease (fcntl(2)).
// Nor does it to who neither owns the file nor may take leases, so the answer can be false wrongly. f must be open
// for reading, and have a name that nobody else opens: an open would wait for the end of the lease.
func openForWriting(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}
