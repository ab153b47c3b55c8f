// Package lpstest is a fake live-patching service on a real socket with real TLS, and a set of peers that behave
// as badly as those met in the field. It serves tests, demos and sandboxes: nothing here needs a *testing.T.
//
// Start with [Start] in a test and with [New] elsewhere. [Server.Serve] and [Server.Respond] say what a [Server]
// answers, [Server.Calls] and [Server.Handshakes] what reached it. [HTTPS] is the same service for those who ask over
// HTTPS. The odd peers are [RawHTTP2] for answers that no gRPC server gives, [NewImpostor] for the API server in the
// service's place, [NewHTTP1], [NewSilent], [NewHangup], [NewRefusing] and [NewSwallowing] for what happens below
// HTTP/2, [DNS] for name resolution and [Relay] for distance.
//
// Every peer listens on loopback at a free port unless told otherwise, has Addr and Close, and is safe for concurrent
// use. Close may be called twice, ends what is still running and leaves no goroutine behind. Calls and handshakes are
// recorded on this side, so a client can see its own end of one a moment before the record has it.
//
// The records hold what clients sent, tokens included: print them in tests only.
package lpstest
