package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// settings are named as the flags of check-hotfix, so that the harness can start either.
type settings struct {
	nodeConfig, pointer, target, imds string
	timeout                           time.Duration
	waitForSettings                   bool
}

func main() {
	var s settings
	flag.StringVar(&s.nodeConfig, "node-config", "", "`file` with the node's config")
	flag.StringVar(&s.pointer, "pointer", "", "`file` to stage the pointer in")
	flag.StringVar(&s.target, "target", "", "`host:port` to dial; the config's API server at port 443 if empty")
	flag.StringVar(&s.imds, "imds-endpoint", "http://169.254.169.254", "`URL` of the instance metadata service")
	flag.DurationVar(&s.timeout, "timeout", 3*time.Second, "`time` the network may take")
	flag.BoolVar(&s.waitForSettings, "wait-for-settings", false, "make the call only after the server's SETTINGS, as grpc-go does")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

// run stages the service's pointer, or else the embedded one.
func run(s settings) error {
	n, err := readNode(s.nodeConfig)
	if err != nil {
		return err
	}
	document, err := fetch(s, n, time.Now().Add(s.timeout))
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor: the embedded pointer is used:", err)
		if document, err = n.embedded(); err != nil {
			return err
		}
	}
	return stage(s.pointer, document)
}

// fetch gets the token and the connection side by side, and then the document.
func fetch(s settings, n node, deadline time.Time) ([]byte, error) {
	tokens := make(chan token, 1)
	go func() {
		secret, err := attestedSignature(s.imds, deadline)
		tokens <- token{secret, err}
	}()
	target := s.target
	if target == "" {
		target = n.host() + ":443"
	}
	conn, err := connect(n, target, deadline)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	c := newCall(conn)
	if s.waitForSettings {
		if err := c.awaitSettings(); err != nil {
			return nil, err
		}
	}
	t := <-tokens
	if t.err != nil {
		return nil, t.err
	}
	return c.component(n.host(), t.secret)
}

type token struct {
	secret string
	err    error
}
