// Package filetoken takes the proof of a node's identity from a file, such as a token that the platform projects into the
// file system and renews there.
//
// Build a [Source] with [New] and hand it to a network transport.
//
// # Errors
//
// An error of [Source.Token] means that there is no token; a transport reports it with the reason "identity". It names
// the file, wraps the cause, and holds no byte of the token.
package filetoken
