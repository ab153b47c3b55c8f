package localdns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/transport"
)

const (
	// Component is what is asked for.
	Component = "localDNS"
	// poolLabel is the kubelet label that names the agent pool of a node.
	poolLabel = "kubernetes.azure.com/agentpool"
	// versionSuffix is what the name of the version file has more.
	versionSuffix = ".version"
)

// document is the service's answer: a version, and a Corefile for every agent pool.
type document struct {
	Version   string            `json:"version"`
	Corefiles map[string]string `json:"corefiles"`
}

// Update asks the steps of r for the configuration, and writes the Corefile of the agent pool in labels ("key=value",
// separated by commas, as kubelet takes them) to path and its version to path.version. changed says that either was
// written. Where nothing is published for the pool, nothing is written, and that is no error.
func Update(ctx context.Context, r *transport.Resolver, labels, path string) (changed bool, err error) {
	pool := poolIn(labels)
	if pool == "" {
		return false, fmt.Errorf("localdns: no label %s", poolLabel)
	}
	var answer document
	// What is wrong with an answer is part of the attempt, so that a bad one is classified like any other fault.
	accept := func(_ string, d transport.Document) (err error) {
		answer, err = parse(d.Body, pool)
		return err
	}
	_, err = r.Resolve(ctx, transport.Request{Component: Component}, transport.WithAccept(accept))
	if transport.ClassOf(err) == transport.Benign {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("localdns: %w", err)
	}
	return write(ctx, path, answer.Corefiles[pool], answer.Version)
}

// poolIn returns the value of the pool's label, and "" where there is none.
func poolIn(labels string) string {
	for label := range strings.SplitSeq(labels, ",") {
		if key, value, ok := strings.Cut(strings.TrimSpace(label), "="); ok && key == poolLabel {
			return value
		}
	}
	return ""
}

// parse returns a document that has a Corefile for pool.
func parse(body []byte, pool string) (document, error) {
	var d document
	err := json.Unmarshal(body, &d)
	if err == nil && len(d.Corefiles) > 0 && d.Version == "" {
		err = errors.New("no version")
	}
	if err != nil {
		return document{}, &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonMalformed, Err: err}
	}
	if d.Corefiles[pool] == "" {
		return document{}, &transport.Error{Class: transport.Benign, Reason: transport.ReasonEmpty,
			Err: fmt.Errorf("nothing for agent pool %.64q", pool)}
	}
	return d, nil
}

// write writes the version last: whoever finds it finds what it stands for. After a kill in between, the next run
// writes it.
func write(ctx context.Context, path, corefile, version string) (changed bool, err error) {
	changed, err = pointer.ReplaceFile(ctx, path, []byte(corefile))
	if err != nil {
		return changed, fmt.Errorf("localdns: %w", err)
	}
	versionChanged, err := pointer.ReplaceFile(ctx, path+versionSuffix, []byte(version+"\n"))
	if err != nil {
		return changed, fmt.Errorf("localdns: version: %w", err)
	}
	return changed || versionChanged, nil
}
