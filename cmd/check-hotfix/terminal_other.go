//go:build !unix

package main

import "os"

// terminalWidth knows no terminal here.
func terminalWidth(*os.File) (columns int, ok bool) { return 0, false }
