package pointer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bootpointer/bootpointer/internal/symlinks"
)

// ReplaceFile writes b to the file at path the way a [Stager] writes the pointer file, for components whose file is
// theirs alone: readers see the old bytes or the new ones, also after a kill or a power cut; mode, owner and security
// label stay, 0644 where the file is new; a symlink is followed and its target replaced. It does not look at what
// others write meanwhile. changed is false where the file has these bytes already.
//
// At most [MaxFileSize] bytes are written or replaced. With an error the old bytes stay, except where the fsync of the
// directory failed: then changed is true.
func ReplaceFile(ctx context.Context, path string, b []byte) (changed bool, err error) {
	s, err := NewStager(path)
	if err != nil {
		return false, err
	}
	changed, err = s.replaceFile(ctx, b)
	if err != nil {
		return changed, fmt.Errorf("replace: %w", err)
	}
	return changed, nil
}

func (s *Stager) replaceFile(ctx context.Context, b []byte) (changed bool, err error) {
	target, err := symlinks.Resolve(s.path)
	if err != nil {
		return false, err
	}
	if len(b) > MaxFileSize {
		return false, fmt.Errorf("new %s: larger than %d bytes", target, MaxFileSize)
	}
	dir, err := os.Open(filepath.Dir(target))
	if err != nil {
		return false, err
	}
	defer dir.Close() // ends the lock
	if err := s.prepare(ctx, dir, target); err != nil {
		return false, err
	}
	old, err := s.disk.read(target)
	if err != nil {
		return false, err
	}
	if old.exists() && bytes.Equal(old.bytes, b) {
		return false, nil
	}
	temp := tempName(target)
	defer func() { _ = s.disk.remove(temp) }() // it is gone unless something failed
	if err := s.disk.create(temp, b, old.attributes); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := s.disk.rename(temp, target); err != nil {
		return false, err
	}
	return true, s.disk.syncDir(dir)
}
