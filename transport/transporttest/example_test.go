package transporttest_test

import (
	"context"
	"fmt"

	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

// A source that cannot be reached at first, then answers, and then has nothing any more.
func ExampleFake() {
	fake := transporttest.NewFake(
		transporttest.Failure(transport.FallbackEligible, transport.ReasonConnect),
		transporttest.Body(`{"hotfixes":{"202604.01":"202604.01.1"}}`),
		transporttest.Failure(transport.Benign, transport.ReasonStatus),
	)

	for range 4 {
		doc, err := fake.Fetch(context.Background(), transport.Request{Component: "aksNodeController"})
		fmt.Printf("%s %q\n", transport.ClassOf(err), doc.Body)
	}
	fmt.Println(len(fake.Requests()), "requests")
	// Output:
	// fallback ""
	// ok "{\"hotfixes\":{\"202604.01\":\"202604.01.1\"}}"
	// benign ""
	// benign ""
	// 4 requests
}
