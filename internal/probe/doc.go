// Package probe walks the way of a check layer by layer, for people who ask why a node got no answer: [Run] returns a
// [Report] with what was tried in each layer, what came back and how long it took, and a diagnosis. It stages nothing and
// writes nothing. [Report.HTML] and the report's JSON are two ways to show it.
//
// What the check does, the probe has done by the same code: the connection is that of internal/front, the call is a check
// in a dry run with the token that the probe got. So its class and reason are those of the check.
//
// The sentences are in diagnosis.go, one table for all of them.
package probe
