package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
)

// maxLine bounds a command, in bytes. What is longer counts as the part that fits.
const maxLine = 64 << 10

// readLines returns the lines of stdin until it ends or ctx is done. The end of a terminal is a person who has had
// enough, and reads as quit; the end of anything else, such as /dev/null, means only that no commands come.
func readLines(ctx context.Context, stdin *os.File) <-chan string {
	lines := make(chan string)
	send := func(line string) bool {
		select {
		case lines <- line:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(lines)
		in := bufio.NewReaderSize(stdin, maxLine)
		for {
			line, cut, err := in.ReadLine()
			text := string(line)
			for cut && err == nil {
				_, cut, err = in.ReadLine()
			}
			switch {
			case err == nil:
				if !send(text) {
					return
				}
			case errors.Is(err, io.EOF) && isTerminal(stdin):
				send("quit")
				return
			default:
				return
			}
		}
	}()
	return lines
}

// isTerminal reports whether file is a character device other than the null device.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
