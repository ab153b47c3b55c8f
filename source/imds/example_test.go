package imds_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// The fake stands in for the service of the node, which throttles the first request here.
func Example() {
	service, err := imdstest.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = service.Close() }()
	service.Respond(imdstest.Status(http.StatusTooManyRequests), imdstest.Reply{})

	source, err := imds.New(imds.WithEndpoint(service.URL()))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	token, err := source.Token(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(token), "bytes after", len(service.Requests()), "requests")
	// Output: 4096 bytes after 2 requests
}
