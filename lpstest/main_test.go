package lpstest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/bootpointer/bootpointer/internal/lpspb"
	"github.com/bootpointer/bootpointer/lpstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what takes milliseconds.
const patience = 20 * time.Second

// fqdn is the SNI of the tests' clients, and the authority of their calls.
const fqdn = "api.example"

// clientTLS sends the FQDN as SNI, and trusts ca for the pinned name.
func clientTLS(ca *lpstest.CA, protos ...string) *tls.Config {
	return &tls.Config{
		ServerName:         fqdn,
		NextProtos:         protos,
		InsecureSkipVerify: true, // VerifyConnection does it, for a name that is not the SNI
		VerifyConnection: func(state tls.ConnectionState) error {
			_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{
				Roots: ca.Pool(), DNSName: lpstest.ServerName,
			})
			return err
		},
	}
}

// dial returns a gRPC client of addr that gives up after one attempt.
func dial(t *testing.T, addr string, ca *lpstest.CA, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	opts = append([]grpc.DialOption{
		grpc.WithTransportCredentials(credentials.NewTLS(clientTLS(ca, lpstest.ALPN))),
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16 << 20)),
		grpc.WithNoProxy(),
	}, opts...)
	conn, err := grpc.NewClient("passthrough:///"+addr, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// ask makes one call.
func ask(ctx context.Context, conn *grpc.ClientConn, component string, opts ...grpc.CallOption) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var reply lpspb.GetComponentConfigResponse
	req := &lpspb.GetComponentConfigRequest{ComponentName: component}
	err := conn.Invoke(ctx, lpstest.Method, req, &reply, opts...)
	return reply.GetConfig(), err
}

// sockets dials, and remembers whether a connection was reset. The kernel says so once, to whichever of Read and Write
// comes first; to the other it is an end like any.
type sockets struct{ reset atomic.Bool }

func (s *sockets) dial(ctx context.Context, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	return &socket{Conn: conn, of: s}, err
}

func (s *sockets) wereReset() bool { return s.reset.Load() }

type socket struct {
	net.Conn
	of *sockets
}

func (s *socket) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	return n, s.note(err)
}

func (s *socket) Write(p []byte) (int, error) {
	n, err := s.Conn.Write(p)
	return n, s.note(err)
}

func (s *socket) note(err error) error {
	if errors.Is(err, syscall.ECONNRESET) {
		s.of.reset.Store(true)
	}
	return err
}
