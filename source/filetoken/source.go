package filetoken

import (
	"context"
	"errors"
	"fmt"

	"github.com/bootpointer/bootpointer/internal/readfile"
	"github.com/bootpointer/bootpointer/internal/token"
	"github.com/bootpointer/bootpointer/transport"
)

// maxFile is the largest file in bytes that is read: the largest token and a few line breaks.
const maxFile = token.MaxSize + 16

// Source reads a token from a file. It keeps nothing between calls and is safe for concurrent use.
type Source struct {
	path string
}

var _ transport.TokenSource = (*Source)(nil)

// New returns the token in the file at path. The file is read when a token is asked for, and need not exist before.
func New(path string) (*Source, error) {
	if path == "" {
		return nil, errors.New("filetoken: no path")
	}
	return &Source{path: path}, nil
}

// Token returns what the file holds now, without trailing line breaks: 1 to 65,536 bytes of visible ASCII. A named pipe
// is waited for until ctx is done, as long as it has a writer; without one it is empty.
func (s *Source) Token(ctx context.Context) (string, error) {
	raw, err := readfile.Read(ctx, s.path, maxFile)
	if err != nil {
		return "", fmt.Errorf("filetoken: %w", err)
	}
	value, err := token.HeaderValue(raw)
	if err != nil {
		return "", fmt.Errorf("filetoken: %s: %w", s.path, err)
	}
	return value, nil
}
