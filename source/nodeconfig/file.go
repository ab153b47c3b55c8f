package nodeconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/bootpointer/bootpointer/internal/readfile"
	"github.com/bootpointer/bootpointer/transport"
)

// Where a node finds its config. Provisioning writes one of the two.
const (
	DefaultPath       = "/opt/azure/containers/aks-node-controller-config.json"
	DefaultNBCCmdPath = "/opt/azure/containers/aks-node-controller-nbc-cmd.sh"
)

// maxFile is the largest file in bytes that is read: 8 MiB, twenty times the largest script seen.
const maxFile = 8 << 20

// File is the node config on disk. It keeps nothing between calls: each reads the file as it is then. It is safe
// for concurrent use.
type File struct {
	path, nbcCmdPath string
}

var _ transport.EndpointSource = (*File)(nil)

// Option changes what [New] returns.
type Option func(*File)

// WithPath sets the path of the JSON file. The default is [DefaultPath].
func WithPath(path string) Option { return func(f *File) { f.path = path } }

// WithNBCCmdPath sets the path of the shell command. The default is [DefaultNBCCmdPath].
func WithNBCCmdPath(path string) Option { return func(f *File) { f.nbcCmdPath = path } }

// New returns the node config at the default paths.
func New(opts ...Option) *File {
	f := &File{path: DefaultPath, nbcCmdPath: DefaultNBCCmdPath}
	for _, opt := range opts {
		opt(f)
	}
	return f
}

// Read returns the whole config. Only a JSON file that does not exist makes it turn to the shell command: one that
// is there and broken is an error, since the other file, if any, belongs to another way of provisioning.
//
// A regular file or pipe of at most 8 MiB is read; anything else is refused. A pipe nobody writes to is empty.
func (f *File) Read(ctx context.Context) (Config, error) {
	c, err := f.readJSON(ctx)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	b, err := readfile.Read(ctx, f.nbcCmdPath, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, fmt.Errorf("node config: no file at %s: %w", f.path, err)
	}
	if err != nil {
		return Config{}, fmt.Errorf("node config: %w", err)
	}
	c, err = ParseNBCCmd(b)
	if err != nil {
		return Config{}, fmt.Errorf("node config %s: %w", f.nbcCmdPath, err)
	}
	c.Path = f.nbcCmdPath
	return c, nil
}

func (f *File) readJSON(ctx context.Context) (Config, error) {
	b, err := readfile.Read(ctx, f.path, maxFile)
	if err != nil {
		return Config{}, fmt.Errorf("node config: %w", err)
	}
	c, err := ParseJSON(b)
	if err != nil {
		return Config{}, fmt.Errorf("node config %s: %w", f.path, err)
	}
	c.Path = f.path
	return c, nil
}

// Endpoint returns the front of the API server and the cluster's certificate authorities. Without both it fails.
func (f *File) Endpoint(ctx context.Context) (transport.Endpoint, error) {
	c, err := f.Read(ctx)
	if err != nil {
		return transport.Endpoint{}, err
	}
	return c.Endpoint(ctx)
}

// Pointer returns the cold-start pointer as a pointer document, {"hotfixes":…} with the value byte for byte as it
// stands in the config, and nil where the config has none or there is no JSON file. The shell command has no
// place for a pointer and is not read.
func (f *File) Pointer(ctx context.Context) ([]byte, error) {
	c, err := f.readJSON(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c.pointer()
}
