// Package blob is a transport of one's own in one file: it reads the document from a blob behind a shared access
// signature (SAS). Its tests run the conformance suite against a real TLS server, and show what the suite catches.
//
// # Errors
//
// Every error is a *transport.Error. A blob that the storage service says does not exist is benign: nothing is published.
// A blob that is too large is authoritative. Everything else, an expired signature among it, is no answer, and so
// fallback-eligible.
package blob
