package bootpointer

import (
	"crypto/x509"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/transport"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
)

// BenchmarkCheckOpen is a check over a connection that is open, with nothing new: a call, and a look at the pointer file.
// The service's time is in it.
func BenchmarkCheckOpen(b *testing.B) {
	lps := lpstest.Start(b)
	lps.Serve(DefaultComponent, served)
	endpoint := transport.Endpoint{Host: "front.example", CAs: []*x509.Certificate{lps.CA().Certificate()}}
	grpc, err := grpctransport.New(endpoint, transport.StaticToken("token"), grpctransport.WithTarget(lps.Addr()))
	require.NoError(b, err)
	defer grpc.Close()
	stager, err := pointer.NewStager(filepath.Join(b.TempDir(), "pointer.json"))
	require.NoError(b, err)
	checker, err := New([]transport.Step{{Name: "grpc", Transport: grpc}}, stager, "202604.01.0")
	require.NoError(b, err)
	require.Equal(b, OutcomeLPSRead, checker.Check(b.Context()).Outcome)
	b.ReportAllocs()
	for b.Loop() {
		if r := checker.Check(b.Context()); r.Outcome != OutcomeLPSRead {
			b.Fatal(r.Err)
		}
	}
}
