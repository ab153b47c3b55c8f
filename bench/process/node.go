package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
)

const (
	// front is the name of the API server's front. Nobody is asked for its address.
	front = "bench.hcp.region.example"
	// embedded is the pointer in the node config, unlike the served one, so that the file tells which was staged.
	embedded = `{"202604.01":"202604.01.0","202607.15":"202607.15.2"}`
)

// node is the folder of a node that boots.
type node struct{ dir string }

// newNode makes the folder in parent, with the node config in it.
func newNode(parent string, ca []byte) (node, error) {
	dir, err := os.MkdirTemp(parent, "bootpointer-bench-")
	if err != nil {
		return node{}, err
	}
	n := node{dir}
	config, err := json.Marshal(map[string]any{
		"api_server_config":  map[string]string{"api_server_name": front},
		"kubernetes_ca_cert": ca, // JSON has it in base64
		"hotfixes":           json.RawMessage(embedded),
	})
	if err != nil {
		return node{}, errors.Join(err, n.remove())
	}
	if err := os.WriteFile(n.config(), config, 0o600); err != nil {
		return node{}, errors.Join(err, n.remove())
	}
	return n, nil
}

func (n node) config() string  { return filepath.Join(n.dir, "config.json") }
func (n node) nbcCmd() string  { return filepath.Join(n.dir, "nbc-cmd.sh") }
func (n node) pointer() string { return filepath.Join(n.dir, "hotfix.json") }
func (n node) events() string  { return filepath.Join(n.dir, "events") }
func (n node) remove() error   { return os.RemoveAll(n.dir) }

// reset makes the next boot a first one: no pointer, no event.
func (n node) reset() error {
	if err := os.RemoveAll(n.events()); err != nil {
		return err
	}
	if err := os.Mkdir(n.events(), 0o755); err != nil {
		return err
	}
	if err := os.Remove(n.pointer()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// requireStaged fails unless the pointer on disk has what want says, a JSON document.
func (n node) requireStaged(want string) error {
	b, err := os.ReadFile(n.pointer())
	if err != nil {
		return err
	}
	var has, wants any
	if err := json.Unmarshal([]byte(want), &wants); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &has); err != nil {
		return fmt.Errorf("%s: %w", n.pointer(), err)
	}
	if !reflect.DeepEqual(has, wants) {
		return fmt.Errorf("%s has %s, and should have %s", n.pointer(), b, want)
	}
	return nil
}
