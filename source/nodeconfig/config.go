package nodeconfig

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/bootpointer/bootpointer/transport"
)

// Config is what a node config says. A field that is missing or cannot be used is zero, and its user is told why.
type Config struct {
	// Path is the file the config was read from. It is empty for a config that came as bytes.
	Path string
	// Host is the API server's front, as [NormalizeHost] returns it.
	Host string
	// CAs are the cluster's certificate authorities, in the order of the bundle.
	CAs []*x509.Certificate
	// Hotfixes is the object of the cold-start pointer, byte for byte; nil where there is none or it is empty.
	Hotfixes json.RawMessage

	hostErr, casErr, hotfixesErr error
}

// Endpoint returns host and CAs, so that a config is a [transport.EndpointSource]. It fails unless both are there,
// and says of each what is wrong with it.
func (c Config) Endpoint(context.Context) (transport.Endpoint, error) {
	hostErr, casErr := c.hostErr, c.casErr
	if c.Host == "" && hostErr == nil {
		hostErr = errors.New("no host")
	}
	if len(c.CAs) == 0 && casErr == nil {
		casErr = errors.New("no certificate authority")
	}
	if hostErr != nil && casErr != nil {
		return transport.Endpoint{}, c.wrap(fmt.Errorf("%w; %w", hostErr, casErr))
	}
	if err := cmp.Or(hostErr, casErr); err != nil {
		return transport.Endpoint{}, c.wrap(err)
	}
	return transport.Endpoint{Host: c.Host, CAs: slices.Clone(c.CAs)}, nil
}

func (c Config) pointer() ([]byte, error) {
	if c.hotfixesErr != nil {
		return nil, c.wrap(c.hotfixesErr)
	}
	if c.Hotfixes == nil {
		return nil, nil
	}
	return slices.Concat([]byte(`{"hotfixes":`), c.Hotfixes, []byte(`}`)), nil
}

func (c Config) wrap(err error) error {
	if c.Path == "" {
		return fmt.Errorf("node config: %w", err)
	}
	return fmt.Errorf("node config %s: %w", c.Path, err)
}
