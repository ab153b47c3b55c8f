package pointer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// MaxFileSize is the largest pointer file in bytes that staging reads or writes: 4 MiB, room for the members of
// others around a document of [MaxSize].
const MaxFileSize = 4 << 20

// newFileMode is the mode of a pointer file that was not there before, whatever the umask.
const newFileMode fs.FileMode = 0o644

var (
	// errChanged says that another program was at the pointer file: what was to be written is out of date.
	errChanged = errors.New("another program is writing it")
	// errOpen says that the bytes are the same still, but another program may be about to write.
	errOpen = fmt.Errorf("%w, or about to", errChanged)
)

// disk does the file operations of staging. Every one of them asks before first, if it is set: with it a test
// fails, records or interrupts each in turn.
type disk struct {
	before func(op, name string) error
}

func (d disk) do(op, name string, operation func() error) error {
	if d.before != nil {
		if err := d.before(op, name); err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	return operation()
}

// file is what was read of a file.
type file struct {
	bytes []byte
	// attributes is nil where there is no file.
	attributes *attributes
}

func (f file) exists() bool { return f.attributes != nil }

// same reports whether two reads found the same.
func (f file) same(g file) bool { return f.exists() == g.exists() && bytes.Equal(f.bytes, g.bytes) }

// read returns the file of that name, the zero file where there is none. It refuses what is no regular file, and
// never waits for a writer of a pipe.
func (d disk) read(name string) (got file, err error) {
	err = d.do("read", name, func() error {
		f, err := os.OpenFile(name, os.O_RDONLY|openFlags, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		got, err = readOpen(f)
		return err
	})
	return got, err
}

// atRest returns errChanged unless the file has these bytes, and errOpen if somebody can still write others to it.
func (d disk) atRest(name string, want []byte) error {
	return d.do("check", name, func() error {
		f, err := os.OpenFile(name, os.O_RDONLY|openFlags, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		writing := openForWriting(f)
		got, err := readOpen(f)
		if err != nil {
			return err
		}
		if !bytes.Equal(got.bytes, want) {
			return errChanged
		}
		if writing {
			return errOpen
		}
		return nil
	})
}

func readOpen(f *os.File) (file, error) {
	info, err := f.Stat()
	if err != nil {
		return file{}, err
	}
	if !info.Mode().IsRegular() {
		return file{}, fmt.Errorf("%s is not a regular file: %s", f.Name(), info.Mode())
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		return file{}, err
	}
	if len(b) > MaxFileSize {
		return file{}, fmt.Errorf("%s is larger than %d bytes", f.Name(), MaxFileSize)
	}
	a, err := attributesOf(f, info)
	return file{bytes: b, attributes: a}, err
}

// create writes a new file to the disk, with the attributes of another or those of a new pointer file.
func (d disk) create(name string, b []byte, like *attributes) error {
	var f *os.File
	err := d.do("create", name, func() (err error) {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err != nil {
		return err
	}
	err = d.fill(f, b, like)
	return errors.Join(err, d.do("close", name, f.Close))
}

func (d disk) fill(f *os.File, b []byte, like *attributes) error {
	err := d.do("write", f.Name(), func() error {
		_, err := f.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	err = d.do("attributes", f.Name(), func() error {
		if like == nil {
			return f.Chmod(newFileMode)
		}
		return like.apply(f)
	})
	if err != nil {
		return err
	}
	return d.do("sync", f.Name(), f.Sync)
}

// exchange swaps the names of two files. Where the system cannot, the error is unsupported.
func (d disk) exchange(a, b string) error {
	return d.do("exchange", b, func() error { return exchange(a, b) })
}

// place names the file to where that name is free. Where the system cannot, the error is unsupported.
func (d disk) place(from, to string) error {
	return d.do("place", to, func() error { return place(from, to) })
}

func (d disk) rename(from, to string) error {
	return d.do("rename", to, func() error { return os.Rename(from, to) })
}

func (d disk) remove(name string) error {
	return d.do("remove", name, func() error { return os.Remove(name) })
}

func (d disk) syncDir(dir *os.File) error {
	return d.do("syncdir", dir.Name(), func() error { return syncDir(dir) })
}

func (d disk) lock(dir *os.File) error {
	return d.do("lock", dir.Name(), func() error { return lock(dir) })
}

// unsupported reports whether err says that the system or the file system does not know an operation.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}
