// Package pointer reads the document that names a node's hotfix, and stages it on disk for the program that acts
// on it.
//
// [Parse] turns a service's answer into a [Pointer], [Pointer.Resolve] and [ShouldUpgrade] say what it means for
// a node, and a [Stager] writes it into the pointer file, which cloud-init writes too: [Stager.Stage] for the
// service's answer, [Stager.Merge] for a pointer that came with the node. [ReplaceFile] writes other components' files
// just as safely.
//
// # Errors
//
// A document that cannot be used is [ErrMalformed], and single entries that cannot are left out with a [Warning].
// Every other error comes from the file system or the context; [errors.Is] finds causes such as [fs.ErrPermission],
// [syscall.ENOSPC] and [context.Canceled]. With an error nothing was staged, except where the fsync of the
// directory failed and could not be undone: then changed is true.
package pointer
