// Package lpspb holds the two messages of the live-patching service.
//
// They are wire-identical to those of akslivepatching.v1, under a proto package of our own: a program that also
// links another generated copy of that package must not fail at start over names registered twice. The method is
// called by its full name, so no service is generated.
package lpspb
