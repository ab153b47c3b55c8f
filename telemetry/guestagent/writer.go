package guestagent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// maxNames is how many names are tried for one file. Each one that is taken belongs to another event of the same
// nanosecond.
const maxNames = 10_000

// Writer writes events into one folder. It is safe for concurrent use, also by several processes.
type Writer struct {
	dir string
	now func() time.Time
}

// Option changes a writer that is being built.
type Option func(*Writer)

// WithClock sets the clock that names files. The default is [time.Now].
func WithClock(now func() time.Time) Option {
	return func(w *Writer) { w.now = now }
}

// New returns a writer for dir, which is created (0755) by the first event if it is missing. It refuses an empty dir.
func New(dir string, opts ...Option) (*Writer, error) {
	w := &Writer{dir: dir, now: time.Now}
	for _, opt := range opts {
		opt(w)
	}
	switch {
	case dir == "":
		return nil, errors.New("guestagent: no folder for events")
	case w.now == nil:
		return nil, errors.New("guestagent: clock is nil")
	}
	return w, nil
}

// Write writes the event to a new file (0644), named after the time in nanoseconds: for example
// 1775037600123456789.json. The file appears whole or not at all and never replaces another. It is not synced to
// disk: a flush can take a booting node seconds, and a power cut costs it more than an event. Write does not start
// when ctx is done; a call into the kernel that hangs is not interrupted.
func (w *Writer) Write(ctx context.Context, e Event) error {
	content, err := e.encode()
	if err == nil {
		err = w.write(ctx, content)
	}
	if err != nil {
		return fmt.Errorf("guestagent: event is lost: %w", err)
	}
	return nil
}

func (w *Writer) write(ctx context.Context, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return err
	}
	temp, err := w.writeTemp(content)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp) }()
	return w.publish(ctx, temp)
}

// writeTemp writes content to a hidden file, which the agent does not look at, and returns its name.
func (w *Writer) writeTemp(content []byte) (string, error) {
	f, err := os.CreateTemp(w.dir, ".event-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// publish gives temp its name as an event. A link, unlike a rename, fails when the name is taken; the next
// nanosecond is as good then.
func (w *Writer) publish(ctx context.Context, temp string) error {
	first := w.now().UnixNano()
	for i := range int64(maxNames) {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := strconv.FormatInt(first+i, 10) + ".json"
		err := os.Link(temp, filepath.Join(w.dir, name))
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("%d names from %d.json on are taken", maxNames, first)
}
