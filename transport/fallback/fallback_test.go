package fallback_test

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/fallback"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

const component = "aksNodeController"

var request = transport.Request{Component: component}

//go:embed testdata/pointer.json
var embedded embed.FS

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is a source made of a function.
type source func(context.Context) ([]byte, error)

func (s source) Pointer(ctx context.Context) ([]byte, error) { return s(ctx) }

func newTransport(t testing.TB, sources ...fallback.Source) *fallback.Transport {
	t.Helper()
	tr, err := fallback.New(component, sources...)
	require.NoError(t, err)
	return tr
}

func TestConformance(t *testing.T) {
	t.Parallel()
	transporttest.Run(t, transporttest.Harness{Component: component, New: func(t *testing.T, s transporttest.Situation, body []byte) transport.Transport {
		switch s {
		case transporttest.Serving, transporttest.TooLarge:
			return newTransport(t, fallback.FS(fstest.MapFS{"pointer.json": {Data: body}}, "pointer.json"))
		case transporttest.Nothing:
			return newTransport(t, fallback.Bytes(nil))
		case transporttest.Down:
			return newTransport(t, source(func(context.Context) ([]byte, error) { return nil, fs.ErrPermission }))
		case transporttest.Silent:
			return newTransport(t, source(func(ctx context.Context) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }))
		default:
			return nil // what is embedded does not say which component it is for
		}
	}})
}

func TestConformanceOfBytes(t *testing.T) {
	t.Parallel()
	transporttest.Run(t, transporttest.Harness{Component: component, New: func(t *testing.T, s transporttest.Situation, body []byte) transport.Transport {
		if s != transporttest.Serving && s != transporttest.TooLarge {
			return nil
		}
		return newTransport(t, fallback.Bytes(body))
	}})
}

func TestFetchTakesTheFirstSourceThatHasOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.json")
	config, err := json.Marshal(map[string]any{"hotfixes": map[string]string{"202604.01": "202604.01.1"}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, config, 0o600))
	node := nodeconfig.New(nodeconfig.WithPath(path))
	bare := nodeconfig.New(nodeconfig.WithPath(path+".absent"), nodeconfig.WithNBCCmdPath(path+".absent"))
	unreadable := source(func(context.Context) ([]byte, error) { return nil, fs.ErrPermission })
	inBinary := fallback.FS(embedded, "testdata/pointer.json")
	absent := fallback.FS(embedded, "testdata/absent.json")
	for name, tc := range map[string]struct {
		sources []fallback.Source
		want    string
	}{
		"node config":           {[]fallback.Source{node, inBinary}, `{"hotfixes":{"202604.01":"202604.01.1"}}`},
		"bare node, then embed": {[]fallback.Source{bare, inBinary}, `{"hotfixes":{"202604.01":"202604.01.2"}}`},
		"unreadable, embed":     {[]fallback.Source{unreadable, absent, inBinary}, `{"hotfixes":{"202604.01":"202604.01.2"}}`},
		"bytes":                 {[]fallback.Source{fallback.Bytes(nil), fallback.Bytes("{}")}, `{}`},
	} {
		doc, err := newTransport(t, tc.sources...).Fetch(t.Context(), request)
		require.NoError(t, err, name)
		assert.JSONEq(t, tc.want, string(doc.Body), name)
		assert.Equal(t, component, doc.Component, name)
	}
}

func TestFetchWithoutAny(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tr := newTransport(t, fallback.Bytes(nil), source(func(context.Context) ([]byte, error) { return nil, broken }))

	_, err := tr.Fetch(t.Context(), request)

	require.ErrorIs(t, err, broken, "what could not be read is told")
	e, ok := errors.AsType[*transport.Error](err)
	require.True(t, ok)
	assert.Equal(t, transport.FallbackEligible, e.Class)
	assert.Equal(t, transport.ReasonNoPointer, e.Reason)

	_, err = tr.Fetch(t.Context(), transport.Request{Component: "localDNS"})
	assert.ErrorContains(t, err, `"localDNS" has no embedded pointer`)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() (*fallback.Transport, error){
		"no component": func() (*fallback.Transport, error) { return fallback.New("", fallback.Bytes("x")) },
		"no sources":   func() (*fallback.Transport, error) { return fallback.New(component) },
		"nil source":   func() (*fallback.Transport, error) { return fallback.New(component, nil) },
	} {
		_, err := build()
		assert.Error(t, err, name)
	}
}

func Example() {
	tr, err := fallback.New("aksNodeController", fallback.FS(embedded, "testdata/pointer.json"))
	if err != nil {
		panic(err)
	}
	doc, err := tr.Fetch(context.Background(), transport.Request{Component: "aksNodeController"})
	fmt.Printf("%s%v\n", doc.Body, err)
	// Output:
	// {"hotfixes":{"202604.01":"202604.01.2"}}
	// <nil>
}
