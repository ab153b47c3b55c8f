package localdns

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	labels   = "agentpool=pool2,kubernetes.azure.com/agentpool=pool2,kubernetes.azure.com/mode=user"
	corefile = ".:53 {\n    forward . 168.63.129.16\n}\n"
	answer   = `{"version":"2026-11-03.2","corefiles":{"pool1":"other","pool2":".:53 {\n    forward . 168.63.129.16\n}\n"}}`
)

// resolverOf returns a resolver with one scripted step.
func resolverOf(t *testing.T, replies ...transporttest.Reply) *transport.Resolver {
	t.Helper()
	r, err := transport.NewResolver(transport.Step{Name: "grpc", Transport: transporttest.NewFake(replies...)})
	require.NoError(t, err)
	return r
}

func assertFile(t *testing.T, want, path string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, string(got))
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "Corefile")
	r := resolverOf(t, transporttest.Body(answer))

	changed, err := Update(t.Context(), r, labels, path)
	require.NoError(t, err)
	assert.True(t, changed)
	assertFile(t, corefile, path)
	assertFile(t, "2026-11-03.2\n", path+".version")

	changed, err = Update(t.Context(), r, labels, path)
	require.NoError(t, err)
	assert.False(t, changed, "the same again")

	require.NoError(t, os.Remove(path+".version"), "as after a kill between the two")
	changed, err = Update(t.Context(), r, labels, path)
	require.NoError(t, err)
	assert.True(t, changed)
	assertFile(t, "2026-11-03.2\n", path+".version")
}

func TestUpdateLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply  transporttest.Reply
		labels string
		class  transport.Class
	}{
		"nothing published":    {transporttest.Failure(transport.Benign, transport.ReasonStatus), labels, 0},
		"nothing for the pool": {transporttest.Body(answer), poolLabel + "=pool3", 0},
		"an empty document":    {transporttest.Body(`{}`), labels, 0},
		"no answer":            {transporttest.Failure(transport.FallbackEligible, transport.ReasonConnect), labels, transport.FallbackEligible},
		"a refusal":            {transporttest.Failure(transport.Authoritative, transport.ReasonStatus), labels, transport.Authoritative},
		"no JSON":              {transporttest.Body(`<html>`), labels, transport.Authoritative},
		"another shape":        {transporttest.Body(`{"version":"1","corefiles":["x"]}`), labels, transport.Authoritative},
		"no version":           {transporttest.Body(`{"corefiles":{"pool2":"x"}}`), labels, transport.Authoritative},
		"a panic":              {transporttest.Reply{Panic: "boom"}, labels, transport.FallbackEligible},
		"no label":             {transporttest.Body(answer), "agentpool=pool2", transport.FallbackEligible},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "Corefile")
			require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))

			changed, err := Update(t.Context(), resolverOf(t, tt.reply), tt.labels, path)

			assert.Equal(t, tt.class, transport.ClassOf(err), "%v", err)
			assert.False(t, changed)
			assertFile(t, "old", path)
			assert.NoFileExists(t, path+".version")
		})
	}
}

// A version is never there without the Corefile it stands for.
func TestUpdateWritesTheVersionLast(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "Corefile")
	require.NoError(t, os.Mkdir(path, 0o755))

	changed, err := Update(t.Context(), resolverOf(t, transporttest.Body(answer)), labels, path)

	require.Error(t, err)
	assert.False(t, changed)
	assert.NoFileExists(t, path+".version")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path+".version", 0o755))

	changed, err = Update(t.Context(), resolverOf(t, transporttest.Body(answer)), labels, path)

	require.ErrorContains(t, err, "version")
	assert.True(t, changed)
	assertFile(t, corefile, path)
}

// One transport serves the checker and this component: one connection, one token, two calls.
func TestUpdateSharesATransportWithTheChecker(t *testing.T) {
	t.Parallel()
	lps, metadata, dir := lpstest.Start(t), imdstest.Start(t), t.TempDir()
	lps.Serve(bootpointer.DefaultComponent, `{"hotfixes":{"202604.01":"202604.01.1"}}`)
	lps.Serve(Component, answer)
	endpoint := transport.Endpoint{Host: "cluster.hcp.region.example", CAs: []*x509.Certificate{lps.CA().Certificate()}}
	tokens, err := imds.New(imds.WithEndpoint(metadata.URL()))
	require.NoError(t, err)
	shared, err := grpctransport.New(endpoint, tokens, grpctransport.WithTarget(lps.Addr()))
	require.NoError(t, err)
	defer shared.Close()
	step := transport.Step{Name: "grpc", Transport: shared, Timeout: 30 * time.Second}

	stager, err := pointer.NewStager(filepath.Join(dir, "hotfix.json"))
	require.NoError(t, err)
	checker, err := bootpointer.New([]transport.Step{step}, stager, "202604.01.0", bootpointer.WithTimeout(step.Timeout))
	require.NoError(t, err)
	assert.Equal(t, bootpointer.OutcomeLPSRead, checker.Check(t.Context()).Outcome)

	resolver, err := transport.NewResolver(step)
	require.NoError(t, err)
	changed, err := Update(t.Context(), resolver, labels, filepath.Join(dir, "Corefile"))
	require.NoError(t, err)
	assert.True(t, changed)
	assertFile(t, corefile, filepath.Join(dir, "Corefile"))

	assert.Len(t, lps.Calls(), 2)
	assert.Len(t, lps.Handshakes(), 1)
	assert.Len(t, metadata.Requests(), 1)

	lps.Respond(lpstest.Reply{Code: codes.NotFound})
	changed, err = Update(t.Context(), resolver, labels, filepath.Join(dir, "Corefile"))
	require.NoError(t, err)
	assert.False(t, changed)
	assertFile(t, corefile, filepath.Join(dir, "Corefile"))
}
