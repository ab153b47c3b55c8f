// Command linksfloor does nothing, with the packages that the floor client links: what it costs over an empty program is what
// they do before main.
package main

import (
	_ "bufio"
	_ "crypto/tls"
	_ "encoding/json"
	_ "flag"
	_ "fmt"
	_ "os"

	_ "golang.org/x/net/http2"
	_ "google.golang.org/protobuf/encoding/protowire"
)

func main() {}
