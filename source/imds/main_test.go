package imds_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain has all tests run as on a node behind a proxy, which nothing here may use.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		os.Setenv(name, "http://192.0.2.1:3128")
	}
	goleak.VerifyTestMain(m)
}
