package symlinks

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxLinks is how many symlinks in a row are followed, as in the kernel (path_resolution(7)).
const maxLinks = 40

// Resolve returns the path without symlinks. The file itself need not exist, its directory must: a dangling link
// leads to where the file will be.
func Resolve(path string) (string, error) {
	for range maxLinks {
		// Split instead of Dir, which takes "link/../" for nothing.
		dir, base := filepath.Split(path)
		if dir == "" {
			dir = "."
		}
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, base)
		link, err := os.Readlink(path)
		if err != nil {
			// Nothing there, or not a link: reading the file tells.
			return path, nil
		}
		path = link
		if !filepath.IsAbs(link) {
			path = dir + string(filepath.Separator) + link
		}
	}
	return "", &fs.PathError{Op: "resolve", Path: path, Err: syscall.ELOOP}
}
