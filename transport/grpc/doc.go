// Package grpc fetches documents from the live-patching service over gRPC, through the API server's front. Import
// it as grpctransport and start with [New].
//
// The front routes on a TLS protocol name of the service's own, and the service's certificate is for a pinned name
// that never goes on the wire: SNI and authority are those of the front. The connection is verified against the
// cluster's CA before the token is sent; there is no way to turn that off, and no proxy is ever used.
//
// # Errors
//
// Every error of [Transport.Fetch] is a *transport.Error. Only a status that the service itself sent is a verdict;
// what the gRPC library makes up from a broken connection, an HTTP answer or a reset stream is always
// fallback-eligible. The table is in classify.go.
package grpc
