// Package readertest models download-hotfix, the program that acts on the pointer file, to hold what we say about it to
// what it does.
package readertest
