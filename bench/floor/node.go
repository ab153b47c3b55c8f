package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// node is what is read of a node config.
type node struct {
	Server struct {
		Name string `json:"api_server_name"`
	} `json:"api_server_config"`
	CA       []byte          `json:"kubernetes_ca_cert"` // PEM, in base64 in the file
	Hotfixes json.RawMessage `json:"hotfixes"`
}

func readNode(path string) (node, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return node{}, err
	}
	var n node
	if err := json.Unmarshal(b, &n); err != nil {
		return node{}, fmt.Errorf("%s: not a node config", path) // the cause could quote it
	}
	if n.Server.Name == "" || len(n.CA) == 0 {
		return node{}, fmt.Errorf("%s: no API server name or no CA", path)
	}
	return n, nil
}

func (n node) host() string { return n.Server.Name }

// embedded returns the pointer that the config carries.
func (n node) embedded() ([]byte, error) {
	if len(n.Hotfixes) == 0 {
		return nil, errors.New("no pointer is embedded in the node config")
	}
	return json.Marshal(map[string]json.RawMessage{"hotfixes": n.Hotfixes})
}
