// Package faulttest holds what meets a service through the front to docs/faults.md. [GRPC] and [HTTPS] are the tables, and
// [Common] has the faults of both. [Run] puts a node in front of each [Fault] of a table and compares what is said of it;
// [Documented] compares a table with the page.
package faulttest
