// Command linksgrpc does nothing, and links grpc-go: the least that a program with grpc-go in it costs before its main begins.
package main

import (
	_ "encoding/json"
	_ "flag"
	_ "fmt"
	_ "os"

	_ "google.golang.org/grpc"
)

func main() {}
