package transport_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/bootpointer/bootpointer/transport"
)

// identityTokens gets identity tokens from the metadata service of another cloud.
type identityTokens struct {
	url string
}

var _ transport.TokenSource = identityTokens{}

// metadataClient asks link-local addresses: no proxy, no redirect, no connection that stays.
var metadataClient = &http.Transport{DisableKeepAlives: true}

// Token honours ctx, reads no more than it needs, and repeats no body in an error. Whether the token can
// stand in a header is for the transport to check.
func (s identityTokens) Token(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"?audience=live-patching", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Metadata-Flavor", "Google")
	resp, err := metadataClient.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("metadata service: %s", resp.Status)
	}
	token, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return "", fmt.Errorf("metadata service: %w", err)
	}
	return string(token), nil
}

// Another cloud's proof of identity is one method away.
func ExampleTokenSource() {
	metadata := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Metadata-Flavor") != "Google" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprint(w, "eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJsaXZlLXBhdGNoaW5nIn0.c2ln")
	}))
	defer metadata.Close()

	var tokens transport.TokenSource = identityTokens{url: metadata.URL}
	token, err := tokens.Token(context.Background())
	fmt.Println(len(token), err)
	// Output: 57 <nil>
}
