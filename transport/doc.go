// Package transport is the contract between whoever fetches a node's pointer and whoever uses it.
//
// A [Transport] fetches one small [Document] for one component. A [Resolver] asks several of them in order
// until one has an answer, and keeps every [Attempt]. Start with [NewResolver]; implement [Transport] to
// fetch from somewhere new, and prove the implementation with the suite in transport/transporttest.
//
// # Errors
//
// Every failure is an [*Error] with a [Class], which programs act on, and a [Reason], which telemetry counts:
//
//   - [Benign]: the other side answered that there is nothing for this node. Nothing is wrong.
//   - [Authoritative]: the other side answered, and the answer rules out every other source.
//   - [FallbackEligible]: there was no usable answer; the next step may be asked.
//
// [ClassOf] is the one way to read the class of any error, also of an error that nobody classified.
package transport
