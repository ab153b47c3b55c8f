//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// binary is the program under test, built by TestMain as it is released.
var binary string

func TestMain(m *testing.M) {
	dir, err := buildBinary()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

func buildBinary() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "bootpointer-e2e-"); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "check-hotfix")
	build := exec.Command("make", "-s", "-C", "..", "binary", "VERSION="+currentVersion, "BINARY="+binary)
	if out, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return dir, nil
}
