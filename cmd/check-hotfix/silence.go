package main

import (
	"io"
	"log"

	"google.golang.org/grpc/grpclog"
)

// silenceLibraries keeps off stderr what gRPC and net/http print when their debug variables are set in the
// environment: they print headers, and the token is in one.
func silenceLibraries() {
	log.SetOutput(io.Discard)
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
}
