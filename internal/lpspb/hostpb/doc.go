// Package hostpb is a generated copy of akslivepatching.v1 such as a host program has. Only a test links it.
package hostpb
