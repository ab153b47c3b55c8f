package nodeconfig_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bootpointer/bootpointer/source/nodeconfig"
)

func ExampleFile_Pointer() {
	dir, err := os.MkdirTemp("", "nodeconfig")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "config.json")
	config := `{"version": "v1", "hotfixes": {"202604.01": "202604.01.1"}}`
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	pointer, err := nodeconfig.New(nodeconfig.WithPath(path)).Pointer(context.Background())
	fmt.Println(string(pointer), err)
	// Output: {"hotfixes":{"202604.01": "202604.01.1"}} <nil>
}

func ExampleParseNBCCmd() {
	config, err := nodeconfig.ParseNBCCmd([]byte(`BACKOFF=<nil> API_SERVER_NAME="Lab.example:443" KUBE_CA_CRT="$(cat ca.pem)" run`))
	fmt.Println(config.Host, err)

	_, err = config.Endpoint(context.Background())
	fmt.Println(err)
	// Output:
	// lab.example <nil>
	// node config: KUBE_CA_CRT: is not literal text, and nothing is run to find out
}

func ExampleNormalizeHost() {
	for _, s := range []string{"https://Lab.Example.:443/api", "[2001:DB8::4]:443", "bücher.example", "a b"} {
		fmt.Println(nodeconfig.NormalizeHost(s))
	}
	// Output:
	// lab.example <nil>
	// 2001:db8::4 <nil>
	// xn--bcher-kva.example <nil>
	//  host has a blank or control character in it
}
