// Package nodeconfig reads what a node knows about its cluster before it has joined it: the name of the API
// server's front, the cluster's certificate authorities, and the cold-start pointer an image was given.
//
// Start with [New]; a [*File] is the endpoint source of the network transports, and its [File.Pointer] feeds the
// fallback transport. It reads the AKSNodeConfig JSON at [DefaultPath] or, where there is no such file, the shell
// command at [DefaultNBCCmdPath], which is parsed and never run. [ParseJSON], [ParseNBCCmd], [ParseCAs] and
// [NormalizeHost] are the parts, for whoever has the bytes already.
//
// # Errors
//
// Errors are plain. They say which file and which field is at fault, and wrap the cause: a cancelled context and
// [io/fs.ErrNotExist] are found with [errors.Is]. What the config holds, secrets among it, is never quoted.
//
// A file that can be read but lacks a field is no error of [File.Read]; it becomes one when that field is asked for.
package nodeconfig
