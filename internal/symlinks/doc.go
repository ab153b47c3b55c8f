// Package symlinks says where a path leads, also when nothing is there yet: what staging replaces, and what a probe looks at,
// is the same file.
package symlinks
