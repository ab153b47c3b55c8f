// Package localdns is another component on the same resolver: it fetches the DNS configuration of a node's agent pool
// from the live-patching service and keeps it in a file. The checker of the root package, whose job are hotfixes, has
// no part in it. Call [Update].
//
// # Errors
//
// Errors of fetching are those of package transport, with a class; others come from the file system. With an error
// the old configuration stays.
package localdns
