package main

import (
	"fmt"
	"strings"

	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// part is one of the things that can be broken by themselves.
type part uint8

const (
	theService part = iota
	theMetadata
	theConfig
	parts // how many there are
)

var allParts = []part{theService, theMetadata, theConfig}

// scene is how every part behaves. A fault changes one part of it and leaves the others.
type scene struct {
	document string // what the service has
	service  opener
	metadata identity
	config   nodeFault
	faults   [parts]string // what was typed to break each part; "" if nothing was
}

// healthy is the scene without faults: the service has a hotfix.
func healthy(version string) scene {
	document := hotfix(version)
	return scene{
		document: document,
		service:  serving(document),
		metadata: identity{imdstest.Reply{}, "200, the document"},
	}
}

// apply changes the scene by the fault that was typed, and returns the part that changed. After an error the scene is of no
// use.
func (sc *scene) apply(line string) (part, error) {
	f, argument, err := parseFault(line)
	if err != nil {
		return 0, err
	}
	if err := f.set(sc, argument); err != nil {
		return 0, fmt.Errorf("%s: %w", f.usage(), err)
	}
	sc.faults[f.part] = strings.TrimSpace(line)
	return f.part, nil
}

// String says what is broken.
func (sc *scene) String() string {
	var broken []string
	for _, fault := range sc.faults {
		if fault != "" {
			broken = append(broken, fmt.Sprintf("%.100s", fault))
		}
	}
	if broken == nil {
		return "all is well"
	}
	return strings.Join(broken, "; ")
}
