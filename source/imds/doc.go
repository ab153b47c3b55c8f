// Package imds gets the attested document of a node from the instance metadata service (IMDS) of the cloud. Its
// signature is the token that proves the node's identity to a network transport.
//
// Build a [Source] with [New] and hand it to a transport, or call [Source.Token]. Tests use the fake in imdstest.
//
// # Errors
//
// An error of [Source.Token] means that there is no token; a transport reports it with the reason "identity". Once
// the context is done, [errors.Is] finds its error. Otherwise the text is for people: it holds the HTTP status and
// the first words of an answer with an error status, and never a byte of an answer that may hold the signature.
package imds
