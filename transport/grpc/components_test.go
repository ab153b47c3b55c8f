package grpc

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
)

// components are those that are served today.
var components = []string{component, "localDNS", "securityPatch"}

// newNode returns what a transport on a node needs: a service that has every component, and a metadata service.
func newNode(t testing.TB) (*lpstest.Server, *imdstest.Server, *imds.Source) {
	t.Helper()
	metadata := imdstest.Start(t)
	lps := lpstest.Start(t, lpstest.WithToken(metadata.Signature()))
	for _, name := range components {
		lps.Serve(name, documentFor(name))
	}
	tokens, err := imds.New(imds.WithEndpoint(metadata.URL()))
	require.NoError(t, err)
	return lps, metadata, tokens
}

func documentFor(component string) string { return `{"for":"` + component + `"}` }

// fetchAll fetches components side by side.
func fetchAll(t testing.TB, tr *Transport, components []string) {
	t.Helper()
	var wg sync.WaitGroup
	for _, name := range components {
		wg.Go(func() {
			doc, err := tr.Fetch(t.Context(), transport.Request{Component: name})
			assert.NoError(t, err)
			assert.Equal(t, documentFor(name), string(doc.Body))
		})
	}
	wg.Wait()
}

func TestComponentsShareConnectionAndAttestedDocument(t *testing.T) {
	t.Parallel()
	lps, metadata, tokens := newNode(t)
	tr := newTransport(t, lps.Addr(), lps.CA().Certificate(), tokens)

	fetchAll(t, tr, components)

	assert.Len(t, lps.Handshakes(), 1)
	assert.Len(t, metadata.Requests(), 1)
	var called []string
	for _, call := range lps.Calls() {
		called = append(called, call.Component)
	}
	assert.ElementsMatch(t, components, called)
}
