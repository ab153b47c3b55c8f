// Package readfile reads the small files that a node is given, whatever lies in their place: [Read] is bounded in size
// and in time.
package readfile
