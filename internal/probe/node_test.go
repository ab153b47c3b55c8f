package probe_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/internal/probe"
	"github.com/bootpointer/bootpointer/transport"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
	httpstransport "github.com/bootpointer/bootpointer/transport/https"
)

// patient is a network time that no busy machine exceeds; hasty is that of faults which only time tells.
const (
	patient = time.Minute
	hasty   = 8 * time.Second
)

// newConfig is a node in a folder of its own that is in front of n, with a healthy file to stage in.
func newConfig(t *testing.T, n faulttest.Node, names ...string) probe.Config {
	t.Helper()
	dir := t.TempDir()
	c := probe.Config{
		NodeConfig: filepath.Join(dir, "node.json"), NBCCmd: filepath.Join(dir, "nbc-cmd.sh"), Pointer: filepath.Join(dir, "pointer.json"),
		Tokens: n.Tokens, Metadata: "http://metadata.example", Front: front.NewOptions(), Lookup: lookup(n.Resolver),
		CurrentVersion: "202604.01.0", Component: bootpointer.DefaultComponent, Timeout: patient,
	}
	if n.Addr == "" {
		require.NoError(t, c.Front.SetDialer(n.Dial))
	} else {
		require.NoError(t, c.Front.SetTarget(n.Addr))
	}
	for _, name := range names {
		c.Transports = append(c.Transports, newTransport(n, name))
	}
	writeNodeConfig(t, c.NodeConfig, n)
	return c
}

// lookup asks the resolver of a test, if there is one, for the name alone: the dot keeps search lists out.
func lookup(r *net.Resolver) func(context.Context, string) ([]netip.Addr, error) {
	if r == nil {
		r = net.DefaultResolver
	}
	return func(ctx context.Context, host string) ([]netip.Addr, error) {
		return r.LookupNetIP(ctx, "ip", host+".")
	}
}

func newTransport(n faulttest.Node, name string) probe.Transport {
	t := probe.Transport{Name: name, Hello: front.GRPCHello,
		New: func(e transport.EndpointSource, tokens transport.TokenSource) (transport.Transport, error) {
			return grpctransport.New(e, tokens, grpctransport.WithTarget(n.Addr))
		}}
	if name == "https" {
		t.Hello = func(string) front.Hello { return front.HTTPSHello(front.ServerName) }
		t.New = func(e transport.EndpointSource, tokens transport.TokenSource) (transport.Transport, error) {
			return httpstransport.New(e, tokens, httpstransport.WithTarget(n.Addr))
		}
	}
	return t
}

// writeNodeConfig writes the config of a node that trusts the CAs of n.
func writeNodeConfig(t *testing.T, path string, n faulttest.Node) {
	t.Helper()
	config := map[string]any{"api_server_config": map[string]string{"api_server_name": faulttest.FrontHost}}
	var bundle []byte
	for _, ca := range n.CAs {
		bundle = append(bundle, pemOf(ca)...)
	}
	if len(bundle) > 0 {
		config["kubernetes_ca_cert"] = bundle // JSON has it in base64
	}
	b, err := json.Marshal(config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

// layer returns the layer of that title.
func layer(t *testing.T, r probe.Report, title string) probe.Layer {
	t.Helper()
	for _, l := range r.Layers {
		if l.Title() == title {
			return l
		}
	}
	require.Failf(t, "no such layer", "%s in %+v", title, r.Layers)
	return probe.Layer{}
}

// detail returns a detail of a layer, nil if it has none of that name.
func detail(l probe.Layer, name string) any {
	for _, d := range l.Details {
		if d.Name == name {
			return d.Value
		}
	}
	return nil
}

func pemOf(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

// trustOld has the node trust a CA that is valid between two times from now.
func trustOld(t *testing.T, c *probe.Config, from, to time.Duration) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(to)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	ca, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	writeNodeConfig(t, c.NodeConfig, faulttest.Node{CAs: []*x509.Certificate{ca}})
}
