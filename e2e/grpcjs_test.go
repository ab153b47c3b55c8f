//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/transport"
)

// jsReply is one reply of grpcjs/server.js.
type jsReply struct {
	Code    codes.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
	Echo    bool       `json:"echo,omitempty"`
	Config  string     `json:"config,omitempty"`
	Bytes   int        `json:"bytes,omitempty"`
	Hang    bool       `json:"hang,omitempty"`
}

// jsLine is one line that it prints: where it listens, or a call.
type jsLine struct {
	Address       string
	Component     string
	Authority     string
	Authorization []string
}

// jsServer is a live-patching service that shares no code with Go's gRPC.
type jsServer struct{ *program }

func startJSServer(t *testing.T, c *cluster, replies []jsReply) jsServer {
	t.Helper()
	_, err := os.Stat("grpcjs/node_modules/@grpc/grpc-js")
	require.NoError(t, err, "grpc-js is missing: run e2e/install.sh")
	script, err := json.Marshal(replies)
	require.NoError(t, err)
	cert, key := writeCertificate(t, c.ca)
	s := jsServer{&program{path: installed(t, "node"), args: []string{"grpcjs/server.js", cert, key, string(script)}}}
	s.ready = func() bool { return s.addr() != "" }
	startProgram(t, s.program)
	return s
}

// addr returns where the server listens, "" while it does not.
func (s jsServer) addr() string {
	for _, line := range s.printed() {
		return line.Address
	}
	return ""
}

// calls returns the calls so far.
func (s jsServer) calls() []jsLine { return s.printed()[1:] }

func (s jsServer) printed() (lines []jsLine) {
	decoder := json.NewDecoder(bytes.NewReader(s.output()))
	for {
		var line jsLine
		if decoder.Decode(&line) != nil { // the end, or a line that is being written
			return lines
		}
		lines = append(lines, line)
	}
}

func TestServiceOnGRPCJS(t *testing.T) {
	t.Parallel()
	read := jsReply{Config: published}
	unavailable := jsReply{Code: codes.Unavailable, Message: "no healthy upstream"}
	for name, tt := range map[string]struct {
		replies []jsReply
		outcome string
		attempt attempt // without the error's text
		says    string
		calls   int
	}{
		"OK": {[]jsReply{read}, "lpsRead",
			attempt{Class: "ok", Code: "OK"}, "", 1},
		"empty config": {[]jsReply{{}}, "noHotfixAvailable",
			attempt{Class: "benign", Reason: "empty", Code: "OK"}, "empty", 1},
		"no hotfixes": {[]jsReply{{Config: "{}"}}, "noHotfixAvailable",
			attempt{Class: "benign", Reason: "empty", Code: "OK"}, "", 1},
		"not JSON": {[]jsReply{{Config: "<html>"}}, "failed",
			attempt{Class: "authoritative", Reason: "malformed", Code: "OK"}, "", 1},
		"UNAUTHENTICATED": {[]jsReply{{Code: codes.Unauthenticated, Message: "unknown node"}}, "noHotfixAvailable",
			attempt{Class: "benign", Reason: "status", Code: "Unauthenticated"}, "unknown node", 1},
		"PERMISSION_DENIED": {[]jsReply{{Code: codes.PermissionDenied}}, "noHotfixAvailable",
			attempt{Class: "benign", Reason: "status", Code: "PermissionDenied"}, "", 1},
		"NOT_FOUND": {[]jsReply{{Code: codes.NotFound, Message: "nichts für dich"}}, "noHotfixAvailable",
			attempt{Class: "benign", Reason: "status", Code: "NotFound"}, "nichts für dich", 1},
		"INVALID_ARGUMENT": {[]jsReply{{Code: codes.InvalidArgument, Message: "a\nb"}}, "failed",
			attempt{Class: "authoritative", Reason: "status", Code: "InvalidArgument"}, "a b", 1},
		"T11 RESOURCE_EXHAUSTED": {[]jsReply{{Code: codes.ResourceExhausted, Message: "slow down"}, read}, "failed",
			attempt{Class: "authoritative", Reason: "status", Code: "ResourceExhausted"}, "slow down", 1},
		"INTERNAL": {[]jsReply{{Code: codes.Internal, Message: "stack"}, read}, "failed",
			attempt{Class: "fallback", Reason: "status", Code: "Internal"}, "stack", 1},
		"R4 INTERNAL with the token": {[]jsReply{{Code: codes.Internal, Message: "bad token ", Echo: true}}, "failed",
			attempt{Class: "fallback", Reason: "status", Code: "Internal"}, "bad token [redacted]", 1},
		"UNIMPLEMENTED": {[]jsReply{{Code: codes.Unimplemented}}, "failed",
			attempt{Class: "fallback", Reason: "status", Code: "Unimplemented"}, "", 1},
		"T11 UNAVAILABLE once": {[]jsReply{unavailable, read}, "lpsRead",
			attempt{Class: "ok", Code: "OK"}, "", 2},
		"UNAVAILABLE twice": {[]jsReply{unavailable, unavailable, read}, "failed",
			attempt{Class: "fallback", Reason: "status", Code: "Unavailable"}, "no healthy upstream", 2},
		"T4 large reply": {[]jsReply{{Bytes: 2 * transport.MaxDocumentSize}}, "failed",
			attempt{Class: "authoritative", Reason: "malformed"}, "larger", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			server := startJSServer(t, c, tt.replies)
			n := c.node(t, server.addr())

			r := n.check(t)

			assert.Equal(t, tt.outcome, r.Outcome)
			got := r.Attempts[0]
			assert.Contains(t, got.Error, tt.says)
			tt.attempt.Step, tt.attempt.Error = "grpc", got.Error
			assert.Equal(t, tt.attempt, got)
			if tt.outcome == "lpsRead" {
				assertRead(t, n, r)
			} else {
				assert.Empty(t, n.staged(t))
			}
			assert.Len(t, server.calls(), tt.calls)
			for _, call := range server.calls() {
				assert.Equal(t, component, call.Component)
				assert.Equal(t, fqdn, call.Authority)
				assert.True(t, len(call.Authorization) == 1 && call.Authorization[0] == c.imds.Signature(), "the call has the token")
			}
		})
	}
}

// T7: a handler that hangs. grpc-js knows the node's deadline too, and may be the first of the two to end the call, with
// DEADLINE_EXCEEDED or with a reset: one fault, one reason.
func TestServiceOnGRPCJSThatHangs(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	server := startJSServer(t, c, []jsReply{{Hang: true}})
	n := c.node(t, server.addr())
	n.writeConfig(t, c.ca, embedded)
	r := n.check(t)
	assertEmbedded(t, n, r, "deadline")
	assert.Greater(t, r.took, networkTime/2)
	assert.Less(t, r.took, networkTime+slack)
	assert.Len(t, server.calls(), 1)
}

// The service's process is killed while it works on the call, and stays away.
func TestServiceOnGRPCJSKilledDuringTheCall(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	server := startJSServer(t, c, []jsReply{{Hang: true}})
	n := c.node(t, server.addr())
	n.writeConfig(t, c.ca, embedded)
	run := n.start(t)
	require.Eventually(t, func() bool { return len(server.calls()) == 1 }, networkTime, 5*time.Millisecond)
	server.stop()
	r := run.wait(t)
	assertEmbedded(t, n, r, "connect")
	assert.Less(t, r.took, promptly+slack)
}
