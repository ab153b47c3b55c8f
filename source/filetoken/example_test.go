package filetoken_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bootpointer/bootpointer/source/filetoken"
)

func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "token") // the platform puts it there
	if err := os.WriteFile(path, []byte("MIIKzAYJKoZIhvcNAQcC\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	source, err := filetoken.New(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	token, err := source.Token(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(token), "bytes")
	// Output: 20 bytes
}
