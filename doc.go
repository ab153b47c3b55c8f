// Package bootpointer lets a booting node learn which published hotfix applies to it, before it has any cluster
// credential, and never holds up the boot.
//
// A [Checker] asks transports in order, decides what the answer means, stages the pointer on disk for the program
// that installs hotfixes, and reports. Build one with [New]; [Checker.Check] does the rest:
//
//   - transport/grpc asks the live-patching service,
//   - transport/fallback finds the pointer that came with the node,
//   - pointer stages the answer,
//   - telemetry/guestagent reports it.
//
// # Errors
//
// This package is where failing open lives: Check never returns an error, never panics and never takes longer than
// its budget. What went wrong is in the [Result], with every attempt; its error is classified as package transport
// explains. The packages below return errors like any other.
package bootpointer
