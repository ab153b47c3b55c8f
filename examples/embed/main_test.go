package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// standalone is the binary that the agent is compared with, built by TestMain.
var standalone string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "embed-test-")
	if err != nil {
		panic(err)
	}
	standalone = filepath.Join(dir, "check-hotfix.exe") // the suffix is for Windows
	build := exec.Command("go", "build", "-race", "-ldflags", "-X main.version="+current, "-o", standalone, "../../cmd/check-hotfix")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.RemoveAll(dir)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}
