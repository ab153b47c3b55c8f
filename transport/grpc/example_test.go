package grpc_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
)

// badge is a token source: whatever proves the identity of a node to the service.
type badge string

func (b badge) Token(context.Context) (string, error) { return string(b), nil }

// The fake service stands in for the one behind the API server's front; WithTarget leads to it.
func Example() {
	service, err := lpstest.New(lpstest.WithToken("badge-of-this-node"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = service.Close() }()
	service.Respond(lpstest.Reply{Config: `{"hotfixes":{}}`}, lpstest.Reply{Code: codes.NotFound, Message: "not for you"})

	front := transport.Endpoint{Host: "cluster.hcp.region.example", CAs: []*x509.Certificate{service.CA().Certificate()}}
	lps, err := grpctransport.New(front, badge("badge-of-this-node"), grpctransport.WithTarget(service.Addr()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lps.Close()

	for range 2 {
		doc, err := lps.Fetch(context.Background(), transport.Request{Component: "aksNodeController"})
		if e, ok := errors.AsType[*transport.Error](err); ok {
			fmt.Println(e.Class, e.Reason, e.Code)
			continue
		}
		fmt.Printf("%s %s\n", doc.Code, doc.Body)
	}
	call := service.Calls()[0]
	fmt.Println(call.SNI, call.ALPN)
	// Output:
	// OK {"hotfixes":{}}
	// benign status NotFound
	// cluster.hcp.region.example aks-live-patching
}
