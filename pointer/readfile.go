package pointer

import "io/fs"

// ReadFile reads a staged pointer file as [Parse] reads a document, for whoever wants to know what it means. The
// file may have [MaxFileSize] bytes, and members of others twice. It never waits: what is no regular file is refused.
func ReadFile(path string) (Pointer, []Warning, error) {
	target, err := resolve(path)
	if err != nil {
		return Pointer{}, nil, err
	}
	f, err := disk{}.read(target)
	if err == nil && !f.exists() {
		err = &fs.PathError{Op: "read", Path: target, Err: fs.ErrNotExist}
	}
	if err != nil {
		return Pointer{}, nil, err
	}
	return parse(f.bytes, uniqueOwnMembers)
}
