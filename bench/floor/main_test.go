package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	front    = "floor.hcp.region.example"
	served   = `{"hotfixes":{"202604.01":"202604.01.1"}}`
	embedded = `{"hotfixes":{"202604.01":"202604.01.0"}}`
)

// newNode returns the settings of a node whose service is at target and trusted by ca.
func newNode(t *testing.T, target string, ca *lpstest.CA, metadata *imdstest.Server) settings {
	t.Helper()
	dir := t.TempDir()
	config, err := json.Marshal(map[string]any{
		"api_server_config":  map[string]string{"api_server_name": front},
		"kubernetes_ca_cert": ca.PEM(),
		"hotfixes":           map[string]string{"202604.01": "202604.01.0"},
	})
	require.NoError(t, err)
	s := settings{
		nodeConfig: filepath.Join(dir, "config.json"), pointer: filepath.Join(dir, "hotfix.json"),
		target: target, imds: metadata.URL(), timeout: 30 * time.Second,
	}
	require.NoError(t, os.WriteFile(s.nodeConfig, config, 0o600))
	return s
}

// requireStaged asserts what run left on disk, and that it left nothing else.
func requireStaged(t *testing.T, s settings, want string) {
	t.Helper()
	b, err := os.ReadFile(s.pointer)
	require.NoError(t, err)
	assert.JSONEq(t, want, string(b))
	entries, err := os.ReadDir(filepath.Dir(s.pointer))
	require.NoError(t, err)
	assert.Len(t, entries, 2)
}

func TestStagesWhatTheServiceHas(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]bool{"at once": false, "after SETTINGS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			metadata := imdstest.Start(t)
			lps := lpstest.Start(t, lpstest.WithToken(metadata.Signature()))
			lps.Serve(component, served)
			s := newNode(t, lps.Addr(), lps.CA(), metadata)
			s.waitForSettings = waits

			require.NoError(t, run(s))

			requireStaged(t, s, served)
			assert.Len(t, metadata.Requests(), 1)
			require.Len(t, lps.Calls(), 1)
			call := lps.Calls()[0]
			assert.Equal(t, front, call.SNI)
			assert.Equal(t, front, call.Authority)
			assert.Equal(t, []string{"aks-live-patching", "h2"}, lps.Handshakes()[0].Offered)
		})
	}
}

func TestStagesALargeDocument(t *testing.T) {
	t.Parallel()
	metadata := imdstest.Start(t)
	lps := lpstest.Start(t)
	large := `{"hotfixes":{"202604.01":"202604.01.1"},"more":"` + strings.Repeat("x", 900<<10) + `"}`
	lps.Serve(component, large)
	s := newNode(t, lps.Addr(), lps.CA(), metadata)

	require.NoError(t, run(s))

	requireStaged(t, s, large)
}

// Whatever else happens, the embedded pointer is staged.
func TestFallback(t *testing.T) {
	t.Parallel()
	unknown := newCA(t)
	for name, start := range map[string]func(*testing.T, *imdstest.Server) settings{
		"refused": func(t *testing.T, metadata *imdstest.Server) settings {
			return newNode(t, lpstest.StartRefusing(t).Addr(), unknown, metadata)
		},
		"silent": func(t *testing.T, metadata *imdstest.Server) settings {
			s := newNode(t, lpstest.StartSilent(t).Addr(), unknown, metadata)
			s.timeout = 300 * time.Millisecond
			return s
		},
		"a status": func(t *testing.T, metadata *imdstest.Server) settings {
			lps := lpstest.Start(t)
			lps.Respond(lpstest.Reply{Code: codes.Unavailable})
			return newNode(t, lps.Addr(), lps.CA(), metadata)
		},
		"an unknown CA": func(t *testing.T, metadata *imdstest.Server) settings {
			lps := lpstest.Start(t)
			lps.Serve(component, served)
			return newNode(t, lps.Addr(), unknown, metadata)
		},
		"the API server": func(t *testing.T, metadata *imdstest.Server) settings {
			ca := newCA(t)
			cert, err := ca.Issue(lpstest.WithDNSNames(front))
			require.NoError(t, err)
			lps := lpstest.Start(t, lpstest.WithCA(ca), lpstest.WithCertificate(cert))
			lps.Serve(component, served)
			return newNode(t, lps.Addr(), ca, metadata)
		},
		"a message cut short": func(t *testing.T, metadata *imdstest.Server) settings {
			lps := lpstest.Start(t)
			lps.Respond(lpstest.Reply{RawBody: []byte{0x12, 0x7f, '{'}})
			return newNode(t, lps.Addr(), lps.CA(), metadata)
		},
		"no token": func(t *testing.T, metadata *imdstest.Server) settings {
			lps := lpstest.Start(t)
			lps.Serve(component, served)
			metadata.Respond(imdstest.Status(400))
			return newNode(t, lps.Addr(), lps.CA(), metadata)
		},
		"a web page for a token": func(t *testing.T, metadata *imdstest.Server) settings {
			lps := lpstest.Start(t)
			lps.Serve(component, served)
			metadata.Respond(imdstest.HTML())
			return newNode(t, lps.Addr(), lps.CA(), metadata)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, imdstest.Start(t))

			require.NoError(t, run(s))

			requireStaged(t, s, embedded)
		})
	}
}

func TestOddFrames(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]lpstest.Action{
		"reset":           lpstest.ResetStream(http2.ErrCodeRefusedStream),
		"going away":      lpstest.GoAway(false, http2.ErrCodeNo),
		"closed":          lpstest.CloseConnection(),
		"no gRPC":         lpstest.HTTPStatus(502, "text/html", "bad gateway"),
		"status in place": lpstest.GRPCStatus(codes.Internal, "why"),
		"OK, no message":  lpstest.GRPCStatus(codes.OK, ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := lpstest.StartRawHTTP2(t)
			lps.Respond(action)
			s := newNode(t, lps.Addr(), lps.CA(), imdstest.Start(t))

			require.NoError(t, run(s))

			requireStaged(t, s, embedded)
		})
	}
}

func TestMessageCountsOnlyWithItsStatus(t *testing.T) {
	t.Parallel()
	trailers := func(status string) *http2.MetaHeadersFrame {
		return &http2.MetaHeadersFrame{Fields: []hpack.HeaderField{{Name: "grpc-status", Value: status}}}
	}
	message := []byte{0, 0, 0, 0, 1, 'x'}

	got, err := unprefixed(trailers("0"), message)
	require.NoError(t, err)
	assert.Equal(t, "x", string(got))

	for _, status := range []string{"13", "", "00"} {
		_, err := unprefixed(trailers(status), message)
		require.Error(t, err, status)
	}
	for _, data := range [][]byte{nil, message[:5], append(message, 'y'), {1, 0, 0, 0, 1, 'x'}} {
		_, err := unprefixed(trailers("0"), data)
		require.Error(t, err, "%q", data)
	}
}

func TestNothingToStage(t *testing.T) {
	t.Parallel()
	s := newNode(t, lpstest.StartRefusing(t).Addr(), newCA(t), imdstest.Start(t))
	require.NoError(t, os.WriteFile(s.nodeConfig, []byte(`{"api_server_config":{"api_server_name":"a"},"kubernetes_ca_cert":"eA=="}`), 0o600))
	assert.ErrorContains(t, run(s), "no pointer is embedded")
	assert.NoFileExists(t, s.pointer)

	for _, config := range []string{``, `{}`, `[]`, `{"kubernetes_ca_cert":"secret`} {
		require.NoError(t, os.WriteFile(s.nodeConfig, []byte(config), 0o600))
		err := run(s)
		require.Error(t, err, config)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func newCA(t *testing.T) *lpstest.CA {
	t.Helper()
	ca, err := lpstest.NewCA()
	require.NoError(t, err)
	return ca
}
