package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// commandLine returns the lines to paste into a shell to run check-hotfix on the node.
func (b *sandbox) commandLine() string {
	words := [][2]string{
		{"--node-config", b.node.config()},
		{"--nbc-cmd", b.node.nbcCmd()},
		{"--pointer", b.node.pointer()},
		{"--imds-endpoint", "http://" + b.metadata.address},
		{"--target", b.grpc.address},
		{"--events-dir", b.node.events()},
		{"--current-version", b.currentVersion},
	}
	lines := []string{checkHotfix()}
	for _, word := range words {
		lines = append(lines, "  "+word[0]+" "+quote(word[1]))
	}
	return strings.Join(lines, " \\\n  ")
}

// checkHotfix returns how to run check-hotfix: the one beside this program, as make build has it, or else the one that
// go run builds in the repository.
func checkHotfix() string {
	name := "check-hotfix"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return quote(beside)
		}
	}
	return "go run ./cmd/check-hotfix"
}

// quote returns s as one word of a POSIX shell.
func quote(s string) string {
	special := func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("/.:_-+", r)
	}
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
