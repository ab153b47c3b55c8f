package https_test

import (
	"context"
	"crypto/x509"
	"fmt"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
	httpstransport "github.com/bootpointer/bootpointer/transport/https"
)

// On a node, the endpoint comes from source/nodeconfig and the token from source/imds.
func Example() {
	service, err := lpstest.NewHTTPS()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()
	service.Serve(`{"hotfixes":{"202604.01":"202604.01.1"}}`)

	endpoint := transport.Endpoint{
		Host: "demo.hcp.region.example",
		CAs:  []*x509.Certificate{service.CA().Certificate()},
	}
	lps, err := httpstransport.New(endpoint, transport.StaticToken("MIIK"), httpstransport.WithTarget(service.Addr()))
	if err != nil {
		fmt.Println(err)
		return
	}
	doc, err := lps.Fetch(context.Background(), transport.Request{Component: httpstransport.DefaultComponent})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Code, string(doc.Body))
	// Output: 200 {"hotfixes":{"202604.01":"202604.01.1"}}
}
