package lpstest_test

import (
	"context"
	"crypto/tls"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/bootpointer/bootpointer/internal/lpspb"
	"github.com/bootpointer/bootpointer/lpstest"
)

func Example() {
	service, err := lpstest.New() // in a test: lpstest.Start(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()
	service.Serve("aksNodeController", `{"hotfixes":{"202604.01":"202604.01.1"}}`)

	// Here stands the code under test. It dials service.Addr() and trusts service.CA().
	conn, err := grpc.NewClient(service.Addr(), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{
		RootCAs:    service.CA().Pool(),
		ServerName: lpstest.ServerName,
	})))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	var reply lpspb.GetComponentConfigResponse
	request := &lpspb.GetComponentConfigRequest{ComponentName: "aksNodeController"}
	if err := conn.Invoke(context.Background(), lpstest.Method, request, &reply); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.GetConfig())
	fmt.Println(len(service.Calls()), service.Calls()[0].Component)
	// Output:
	// {"hotfixes":{"202604.01":"202604.01.1"}}
	// 1 aksNodeController
}
