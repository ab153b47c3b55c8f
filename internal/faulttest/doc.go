// Package faulttest holds the network transports to docs/faults.md. [Run] puts a node in front of each [Fault] of a table
// and compares what is said of it; [Common] are the faults that every transport through the front meets; [Documented]
// compares a table with the page.
package faulttest
