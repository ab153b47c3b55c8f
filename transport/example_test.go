package transport_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

func ExampleResolver_Resolve() {
	service := transporttest.NewFake(transporttest.Failure(transport.FallbackEligible, transport.ReasonConnect))
	embedded := transporttest.NewFake(transporttest.Body(`{"hotfixes":{"202604.01":"202604.01.1"}}`))
	resolver, err := transport.NewResolver(
		transport.Step{Name: "grpc", Transport: service, Timeout: 4 * time.Second},
		transport.Step{Name: "fallback", Transport: embedded},
	)
	if err != nil {
		panic(err)
	}

	res, err := resolver.Resolve(context.Background(), transport.Request{Component: "aksNodeController"})
	if err != nil {
		panic(err)
	}
	for _, a := range res.Attempts {
		fmt.Printf("%s: class %s, reason %q\n", a.Step, a.Class, a.Reason)
	}
	fmt.Printf("%s: %s\n", res.Step, res.Document.Body)
	// Output:
	// grpc: class fallback, reason "connect"
	// fallback: class ok, reason ""
	// fallback: {"hotfixes":{"202604.01":"202604.01.1"}}
}
