//go:build !linux

package main

// fileSystem names what kind of file system a folder is on, where that is known.
func fileSystem(string) string { return "–" }

// realTime reports whether this process comes before all ordinary ones, where that is known.
func realTime() bool { return false }
