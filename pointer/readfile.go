package pointer

import (
	"io/fs"

	"github.com/bootpointer/bootpointer/internal/symlinks"
)

// ReadFile reads a staged pointer file as [Parse] reads a document, for whoever wants to know what it means. The
// file may have [MaxFileSize] bytes, and members of others twice. It never waits: what is no regular file is refused.
func ReadFile(path string) (Pointer, []Warning, error) {
	b, err := ReadFileBytes(path)
	if err != nil {
		return Pointer{}, nil, err
	}
	return ParseFile(b)
}

// ReadFileBytes is the first half of [ReadFile], for whoever also shows what is in the file.
func ReadFileBytes(path string) ([]byte, error) {
	target, err := symlinks.Resolve(path)
	if err != nil {
		return nil, err
	}
	f, err := disk{}.read(target)
	if err == nil && !f.exists() {
		err = &fs.PathError{Op: "read", Path: target, Err: fs.ErrNotExist}
	}
	return f.bytes, err
}

// ParseFile is the second half of [ReadFile]: [Parse] for the bytes of a staged pointer file.
func ParseFile(b []byte) (Pointer, []Warning, error) { return parse(b, uniqueOwnMembers) }
