package main

import (
	"fmt"
	"strings"

	"github.com/bootpointer/bootpointer/pointer"
)

// rule is what decides in the end whether download-hotfix installs a version.
type rule string

const (
	ruleHigherPatch   rule = "higher-patch"
	ruleNotHigher     rule = "not-higher"
	ruleBaseAbsent    rule = "base-absent"
	ruleOtherBase     rule = "other-base"
	ruleNoVersion     rule = "no-version"
	ruleNothingNamed  rule = "nothing-named"
	ruleNothingStaged rule = "nothing-staged"
	ruleMalformed     rule = "malformed"
	ruleUnreadable    rule = "unreadable"
)

// decide fills in what p means for the node. What is resolved, and whether it is taken, package pointer says; the rule
// puts it into a word.
func (e *explanation) decide(p pointer.Pointer) {
	resolved, named := p.Resolve(e.CurrentVersion)
	e.ResolvedVersion = resolved
	e.WouldUpgrade = named && pointer.ShouldUpgrade(e.CurrentVersion, resolved)
	base, isVersion := pointer.Base(e.CurrentVersion)
	resolvedBase, _ := pointer.Base(resolved)
	switch {
	case e.WouldUpgrade:
		e.Rule = ruleHigherPatch
	case p.Empty() && !named:
		e.Rule = ruleNothingNamed
	case !isVersion:
		e.Rule = ruleNoVersion
	case !named:
		e.Rule = ruleBaseAbsent
	case resolvedBase != base:
		e.Rule = ruleOtherBase
	default:
		e.Rule = ruleNotHigher
	}
	switch {
	case !p.Empty():
		e.DecidedBy = nameHotfixes
	case named:
		e.DecidedBy = nameVersion
	}
}

// sentence is the explanation in one sentence.
func (e *explanation) sentence() string {
	begin := "On this node"
	if len(e.Doubts) > 0 {
		begin = "By the rules, on this node"
	}
	return fmt.Sprintf("%s (%s) download-hotfix %s.", begin, printable(cut(e.CurrentVersion, maxShown)), e.verdict())
}

// verdict ends the sentence.
func (e *explanation) verdict() string {
	const nothing = "installs nothing: "
	base, _ := pointer.Base(e.CurrentVersion)
	switch e.Rule {
	case ruleHigherPatch:
		return fmt.Sprintf("installs %s: %s and %s", e.ResolvedVersion, e.whereNamed(base), comparison(e.CurrentVersion, e.ResolvedVersion))
	case ruleNotHigher:
		if e.ResolvedVersion == e.CurrentVersion {
			return nothing + e.whereNamed(base) + " and names the version that the node runs already"
		}
		return nothing + e.whereNamed(base) + " and " + comparison(e.CurrentVersion, e.ResolvedVersion)
	case ruleBaseAbsent:
		return nothing + "base " + base + " is not in the map, and next to a map with entries nothing else counts"
	case ruleOtherBase:
		return nothing + "there is no map, and the legacy version " + e.ResolvedVersion + " is not of base " + base
	case ruleNoVersion:
		return nothing + "the node's version is not YYYYMM.DD.PATCH, so no hotfix is of its base"
	case ruleNothingNamed:
		return nothing + "the file names no version, neither in hotfixes nor in version"
	case ruleNothingStaged:
		return nothing + "no pointer is staged"
	case ruleMalformed:
		return nothing + "the file is malformed"
	default:
		return "may install anything or nothing: the file cannot be read from here"
	}
}

// whereNamed says which member decides.
func (e *explanation) whereNamed(base string) string {
	if e.DecidedBy == nameVersion {
		return "there is no map with entries, so the legacy version counts"
	}
	return "base " + base + " is in the map"
}

// comparison says how the patch of a version compares to that of the node's, of the same base.
func comparison(current, version string) string {
	mine, its := patch(current), patch(version)
	relation := "is not higher than"
	if pointer.ShouldUpgrade(current, version) {
		relation = "is higher than"
	}
	words := fmt.Sprintf("patch %s %s %s", its, relation, mine)
	if len(mine) != len(its) { // where text would compare the other way round
		words += ", as numbers"
	}
	return words
}

// patch returns the last part of a version.
func patch(version string) string { return version[strings.LastIndexByte(version, '.')+1:] }
