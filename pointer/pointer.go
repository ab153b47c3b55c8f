package pointer

import "fmt"

// Pointer says which version the nodes of each base should run.
type Pointer struct {
	// Version is the legacy member `version`, a version YYYYMM.DD.PATCH or empty. It counts only where Hotfixes is
	// empty, and is never staged.
	Version string
	// Hotfixes maps a base YYYYMM.DD to a version YYYYMM.DD.PATCH of that base.
	Hotfixes map[string]string
}

// Empty reports whether p has no hotfix entry, and so nothing to stage.
func (p Pointer) Empty() bool { return len(p.Hotfixes) == 0 }

// Resolve returns the version p names for a node that runs current, and false where it names none: a base that is
// absent from a non-empty map has no hotfix, whatever the legacy version says. Whether the node should take the
// version is for [ShouldUpgrade] to say.
func (p Pointer) Resolve(current string) (version string, ok bool) {
	if p.Empty() {
		return p.Version, p.Version != ""
	}
	base, ok := Base(current)
	if !ok {
		return "", false
	}
	version, ok = p.Hotfixes[base]
	return version, ok
}

// validate refuses entries that Parse would have left out.
func (p Pointer) validate() error {
	for base, version := range p.Hotfixes {
		if !validEntry(base, version) {
			return fmt.Errorf("%w: entry %s: %s", ErrMalformed, quoted(base), quoted(version))
		}
	}
	return nil
}

// validEntry reports whether base is a base and version is a version of it.
func validEntry(base, version string) bool {
	b, ok := Base(version)
	return ok && b == base
}
