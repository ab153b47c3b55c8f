package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bootpointer/bootpointer/internal/token"
	"github.com/bootpointer/bootpointer/lpstest"
)

// sandbox is a service, a metadata service and a node, in one scene.
type sandbox struct {
	currentVersion string
	served         string // the version that a healthy service has
	node           node
	ca             *lpstest.CA // the one that the node trusts
	signature      string      // the attested document's, the same for as long as the sandbox runs

	grpc, https, metadata place
	scene                 scene
}

// open sets everything up, in the scene that s begins with.
func open(s *settings) (*sandbox, error) {
	ca, err := lpstest.NewCA()
	if err != nil {
		return nil, err
	}
	n, err := newNode(s.dir, s.embedded)
	if err != nil {
		return nil, err
	}
	b := &sandbox{
		currentVersion: s.currentVersion,
		served:         s.served,
		node:           n,
		ca:             ca,
		grpc:           place{name: "grpc", address: s.grpcAddress},
		https:          place{name: "https", address: s.httpsAddress},
		metadata:       place{name: "metadata", address: s.identAddress},
	}
	// Healthy at first: not every fault has somebody at the address, and the addresses have to be known.
	err = b.play(healthy(s.served), allParts...)
	for p, fault := range s.scene.faults {
		if err == nil && fault != "" {
			err = b.play(s.scene, part(p))
		}
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// play changes to a scene in the parts that differ. When it fails, nobody is where it failed.
func (b *sandbox) play(sc scene, changed ...part) error {
	b.scene = sc
	var errs []error
	for _, p := range changed {
		switch p {
		case theService:
			errs = append(errs, b.grpc.replace(b.openService(overGRPC)), b.https.replace(b.openService(overHTTPS)))
		case theMetadata:
			errs = append(errs, b.metadata.replace(b.openMetadata))
		case theConfig:
			errs = append(errs, b.node.write(b.ca, sc.config))
		}
	}
	return errors.Join(errs...)
}

func (b *sandbox) openService(p protocol) func(address string) (*peer, error) {
	return func(address string) (*peer, error) { return b.scene.service(p, site{address, b.ca}) }
}

func (b *sandbox) openMetadata(address string) (*peer, error) {
	p, s, err := openMetadata(address, b.signature, b.scene.metadata)
	if err != nil {
		return nil, err
	}
	b.signature = s.Signature()
	p.address = strings.TrimPrefix(s.URL(), "http://")
	return p, nil
}

// news returns the lines about what reached the services since the last time, in the order in which it came.
func (b *sandbox) news() []string {
	var all []sighting
	for _, p := range b.places() {
		all = append(all, p.news()...)
	}
	slices.SortStableFunc(all, func(a, b sighting) int { return a.time.Compare(b.time) })
	var lines []string
	for _, s := range all {
		// Clients choose some of the words.
		lines = append(lines, token.Redact(s.String(), b.signature))
	}
	return lines
}

func (b *sandbox) places() []*place { return []*place{&b.metadata, &b.grpc, &b.https} }

// close ends the services and removes the folder, unless it is kept.
func (b *sandbox) close() {
	for _, p := range b.places() {
		p.close()
	}
	b.node.remove()
}

// banner says where everything is, and how to run check-hotfix on it.
func (b *sandbox) banner() string {
	folder := b.node.dir
	if b.node.temporary {
		folder += ", removed at the end"
	}
	return fmt.Sprintf(`A node that runs %s, and what it talks to when it boots:

  node      %s
  metadata  http://%s
  grpc      %s
  https     %s
  document  %s

Run this in another terminal, from the root of the repository:

  %s

To be told what is wrong, put probe behind check-hotfix.
For HTTPS, add: --transport https --target %s
`, b.currentVersion, folder, b.metadata.address, b.grpc.address, b.https.address, preview(b.scene.document),
		b.commandLine(), quote(b.https.address))
}
