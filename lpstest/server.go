package lpstest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/bootpointer/bootpointer/internal/lpspb"
)

// Method is the full name of the service's only method.
const Method = "/akslivepatching.v1.LivePatchingService/GetComponentConfig"

// Server is a fake live-patching service: gRPC over TLS on a listener of its own.
type Server struct {
	tlsPeer
	token *string

	lifecycle sync.Mutex
	grpc      *grpc.Server // nil while stopped
	closed    bool

	mu      sync.Mutex
	configs map[string]string
	script  []Reply
	calls   []Call
}

// New returns a server that is up. It answers NotFound until [Server.Serve] or [Server.Respond] says otherwise.
func New(opts ...Option) (*Server, error) {
	o, err := newOptions(opts, aboutTLS|aboutToken)
	if err != nil {
		return nil, err
	}
	peer, err := newTLSPeer(o)
	if err != nil {
		return nil, err
	}
	s := &Server{tlsPeer: peer, token: o.token, configs: make(map[string]string)}
	s.start()
	return s, nil
}

// Serve has the server answer config for component. Components that are not served are NotFound. A script of
// [Server.Respond] comes first as long as it stands.
func (s *Server) Serve(component, config string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.configs[component] = config
}

// Respond replaces what [Server.Serve] set by a script: each call takes the next reply, and the last one stays. It
// starts the script anew; without replies it ends it.
func (s *Server) Respond(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = slices.Clone(replies)
}

// Calls returns the calls so far, in the order in which they came.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Stop closes the listener and every connection, ends the calls and waits for them. Nothing listens on the port until
// [Server.Restart]. What was set and recorded stays.
func (s *Server) Stop() {
	s.lifecycle.Lock()
	defer s.lifecycle.Unlock()
	s.stop()
}

// Restart has a stopped server listen again on the same port. It fails if somebody else took the port, if the listener
// was none of TCP and after Close; on a server that is up it does nothing.
func (s *Server) Restart() error {
	s.lifecycle.Lock()
	defer s.lifecycle.Unlock()
	if s.closed {
		return errors.New("lpstest: restart after Close")
	}
	if s.grpc != nil {
		return nil
	}
	if err := s.port.reopen(); err != nil {
		return err
	}
	s.start()
	return nil
}

// Close stops the server for good. The error is always nil.
func (s *Server) Close() error {
	s.lifecycle.Lock()
	defer s.lifecycle.Unlock()
	s.closed = true
	s.stop()
	return nil
}

func (s *Server) start() {
	server := grpc.NewServer(
		grpc.Creds(serverCredentials{s.tls}),
		grpc.ForceServerCodec(rawCodec{}),
		grpc.WaitForHandlers(true),
	)
	server.RegisterService(serviceDesc(), s)
	s.grpc = server
	s.port.loops.Go(func() { _ = server.Serve(s.port) })
}

// stop closes the connections first: grpc-go would wait for those that are still in their handshake.
func (s *Server) stop() {
	if s.grpc == nil {
		return
	}
	s.port.shut()
	s.grpc.Stop()
	s.grpc = nil
}

// getComponentConfig records the call and answers it.
func (s *Server) getComponentConfig(ctx context.Context, req *lpspb.GetComponentConfigRequest) (any, error) {
	call := newCall(ctx, req.GetComponentName())
	reply := s.next(call)
	if err := pause(ctx, reply); err != nil {
		return nil, err
	}
	if reply.Reset {
		return nil, resetConnection(ctx)
	}
	if err := grpc.SetTrailer(ctx, reply.Trailer); err != nil {
		return nil, err
	}
	return answer(reply, call)
}

// next records call and chooses the reply to it.
func (s *Server) next(call Call) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
	if s.token != nil && call.Token() != *s.token {
		return Reply{Code: codes.Unauthenticated, Message: "no valid token"}
	}
	if len(s.script) > 0 {
		reply := s.script[0]
		if len(s.script) > 1 {
			s.script = s.script[1:]
		}
		return reply
	}
	config, ok := s.configs[call.Component]
	if !ok {
		return Reply{Code: codes.NotFound, Message: "no such component"}
	}
	return Reply{Config: config}
}

// pause waits as long as the reply says. The error is that of ctx, as a status.
func pause(ctx context.Context, reply Reply) error {
	if reply.Hang {
		<-ctx.Done()
		return status.FromContextError(ctx.Err()).Err()
	}
	timer := time.NewTimer(reply.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

func resetConnection(ctx context.Context) error {
	info, _ := connectionOf(ctx)
	if conn, ok := info.raw.(*portConn); ok {
		conn.reset()
	}
	return status.Error(codes.Unavailable, "connection reset")
}

func answer(reply Reply, call Call) (any, error) {
	if reply.Code != codes.OK {
		message := reply.Message
		if reply.EchoToken {
			message += call.Token()
		}
		return nil, status.Error(reply.Code, message)
	}
	if reply.RawBody != nil {
		return reply.RawBody, nil
	}
	component := reply.Component
	if component == "" {
		component = call.Component
	}
	return &lpspb.GetComponentConfigResponse{ComponentName: component, Config: reply.Config}, nil
}
