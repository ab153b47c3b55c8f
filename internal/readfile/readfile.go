package readfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Read reads a regular file or a pipe of at most limit bytes, and stops when ctx is done. A device has no end, so it is
// refused. Errors name the file and hold none of its bytes.
func Read(ctx context.Context, path string, limit int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	file, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if kind := info.Mode().Type(); kind != 0 && kind != fs.ModeNamedPipe {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("neither a regular file nor a pipe")}
	}
	// Regular files take no deadline, and need none.
	stop := context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), int64(limit))) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(file, int64(limit)+1))
	switch {
	case ctx.Err() != nil:
		return nil, &fs.PathError{Op: "read", Path: path, Err: ctx.Err()}
	case err != nil:
		return nil, err
	case b.Len() > limit:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", limit)}
	}
	return b.Bytes(), nil
}
