package imdstest_test

import (
	"fmt"
	"net/http"

	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// A client that forgets the header is refused, as by the real service, and the next one is throttled.
func Example() {
	service, err := imdstest.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = service.Close() }()
	service.Respond(imdstest.RetryAfter(http.StatusTooManyRequests, "1"), imdstest.Reply{})

	client := &http.Transport{DisableKeepAlives: true}
	for _, header := range []http.Header{{}, {"Metadata": {"true"}}, {"Metadata": {"true"}}} {
		req, err := http.NewRequest(http.MethodGet, service.URL()+"/metadata/attested/document?api-version=2025-04-07", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		req.Header = header
		resp, err := client.RoundTrip(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
		fmt.Println(resp.Status)
	}
	fmt.Println(len(service.Requests()), "requests")
	// Output:
	// 400 Bad Request
	// 429 Too Many Requests
	// 200 OK
	// 3 requests
}
