package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/bootpointer/bootpointer/internal/readfile"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
)

// frontHost is the API server's name in the node's config. It is in the TLS client hello only: check-hotfix dials --target.
const frontHost = "sandbox.hcp.region.example"

// maxNodeConfig bounds what is read of a config that is already there, in bytes.
const maxNodeConfig = 1 << 20

// node is the folder with the files of a node, under the names that they have there.
type node struct {
	dir       string
	temporary bool
	embedded  string // the version that its own pointer is to
}

// nodeFault says what the node's config lacks.
type nodeFault struct{ noCA, noPointer bool }

func (n node) config() string { return filepath.Join(n.dir, filepath.Base(nodeconfig.DefaultPath)) }
func (n node) nbcCmd() string {
	return filepath.Join(n.dir, filepath.Base(nodeconfig.DefaultNBCCmdPath))
}
func (n node) pointer() string { return filepath.Join(n.dir, filepath.Base(pointer.DefaultPath)) }
func (n node) events() string  { return filepath.Join(n.dir, "events") }

// newNode makes the folder. In a folder that is kept, the pointer and the events of an earlier run stay.
func newNode(dir, embedded string) (node, error) {
	n := node{dir: dir, embedded: embedded}
	if dir == "" {
		temporary, err := os.MkdirTemp("", "lps-sandbox-")
		if err != nil {
			return node{}, err
		}
		n.dir, n.temporary = temporary, true
	}
	var err error
	if n.dir, err = filepath.Abs(n.dir); err != nil {
		return node{}, err
	}
	if err := n.refuseStrangers(); err != nil {
		return node{}, err
	}
	if err := os.MkdirAll(n.events(), 0o755); err != nil {
		n.remove()
		return node{}, err
	}
	return n, nil
}

// refuseStrangers returns an error if the folder has the config of a node that is not the sandbox's: a real one would be
// overwritten.
func (n node) refuseStrangers() error {
	b, err := readFile(n.config(), maxNodeConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var found nodeConfig
	if err := json.Unmarshal(b, &found); err != nil || found.APIServer.Name != frontHost {
		return fmt.Errorf("%s is not the sandbox's, and would be overwritten: choose another --dir", n.config())
	}
	return nil
}

// readFile does not wait for the writer of a pipe: signals and requests would have to wait too.
func readFile(path string, limit int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return readfile.Read(ctx, path, limit)
}

// nodeConfig is the part of a node's config that check-hotfix reads.
type nodeConfig struct {
	APIServer struct {
		Name string `json:"api_server_name"`
	} `json:"api_server_config"`
	CA       []byte          `json:"kubernetes_ca_cert,omitempty"` // PEM, in base64
	Hotfixes json.RawMessage `json:"hotfixes,omitempty"`
}

// write writes the node's config, which trusts ca and has a pointer of its own.
func (n node) write(ca *lpstest.CA, fault nodeFault) error {
	config := nodeConfig{CA: ca.PEM()}
	config.APIServer.Name = frontHost
	if fault.noCA {
		config.CA = nil
	}
	if !fault.noPointer {
		base, _ := pointer.Base(n.embedded)
		config.Hotfixes = fmt.Appendf(nil, "{%q:%q}", base, n.embedded)
	}
	b, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return err
	}
	_, err = pointer.ReplaceFile(context.Background(), n.config(), append(b, '\n'))
	return err
}

// remove removes the folder, unless it is kept.
func (n node) remove() {
	if n.temporary {
		_ = os.RemoveAll(n.dir)
	}
}
