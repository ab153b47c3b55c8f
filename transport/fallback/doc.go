// Package fallback is the transport for a cold start: it finds a pointer that came with the node itself. Start with
// [New] and the sources to look in.
//
// # Errors
//
// Every error of [Transport.Fetch] is a *transport.Error. No pointer in any source, and a source that cannot be
// read, are fallback-eligible (no-pointer); a pointer larger than allowed is authoritative (malformed).
package fallback
