// Package grpc fetches documents from the live-patching service over gRPC, through the API server's front. Import
// it as grpctransport and start with [New].
//
// The front routes on a TLS protocol name of the service's own, and the service's certificate is for a pinned name
// that never goes on the wire: SNI and authority are those of the front. The connection is verified against the
// cluster's CA before the token is sent; there is no way to turn that off, and no proxy is ever used.
//
// # Debug variables
//
// gRPC and net/http print headers, and with them what a server sent, when GODEBUG=http2debug or GRPC_GO_LOG_* are set
// in the environment. That is the process's business, not a library's. A host that must never print the token, even
// when a service echoes it, does in main what check-hotfix does:
//
//	log.SetOutput(io.Discard)
//	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
//
// # Errors
//
// Every error of [Transport.Fetch] is a *transport.Error. Only a status that the service itself sent is a verdict;
// what the gRPC library makes up from a broken connection, an HTTP answer or a reset stream is always
// fallback-eligible. The table is in classify.go.
package grpc
