//go:build !linux

package main

import "os"

func main() {
	_, _ = os.Stderr.WriteString("launch: only Linux accounts for processes this way\n")
	os.Exit(1)
}
