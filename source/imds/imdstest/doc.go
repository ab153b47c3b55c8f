// Package imdstest is a fake of the instance metadata service, on a real listener, for the tests of whoever asks the
// service for an attested document.
//
// Start with [Start] in a test, or [New] anywhere else, and point the client at [Server.URL]. A server answers as
// the real one does: it wants the header "Metadata: true" and an api-version, refuses forwarded requests, and knows
// only the path of the attested document. [Server.Respond] scripts faults, [Server.Requests] tells what came in.
package imdstest
