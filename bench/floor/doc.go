// Command floor is the least that a process can do to stage a node's pointer: the yardstick for what check-hotfix costs.
//
// It reads the node config, asks the metadata service for the attested document and, side by side, makes one TLS handshake
// with the front; then it makes the call on a single HTTP/2 stream framed by hand, and renames a file over the pointer. On
// any failure it stages the pointer embedded in the node config.
//
// The connection is proven as check-hotfix proves it. What check-hotfix does beyond that is left out: classes and reasons,
// the retry, what the service's statuses mean, validating and merging the pointer, fsync, the lock, the event, the report,
// the log, signals, the watchdog. It is no example to follow.
package main
