// Package guestagent writes event files for the guest agent of the virtual machine, which picks them up, sends them to
// telemetry and deletes them.
//
// Build a [Writer] for a folder with [New] and call [Writer.Write] once per event. A writer is a reporter for the
// checker; a host that writes events in its own way gets the text of one from [EventOf].
//
// # Errors
//
// An error means that the event is lost and nothing else: no file was replaced, and no part of one is left. Programs
// whose work does not depend on telemetry log it and go on.
package guestagent
