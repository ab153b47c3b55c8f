package pointer

import (
	"strconv"
	"strings"
)

// version is a release YYYYMM.DD.PATCH. Its base is text: 202604.01 and 202604.1 are two bases.
type version struct {
	base  string
	patch uint64
}

func parseVersion(s string) (version, bool) {
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 || !isBase(s[:dot]) {
		return version{}, false
	}
	digits := s[dot+1:]
	if len(digits) > 1 && digits[0] == '0' {
		return version{}, false
	}
	// 63 bits, so that readers with signed integers see the same number.
	patch, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return version{}, false
	}
	return version{base: s[:dot], patch: patch}, true
}

// isBase reports whether s has the shape YYYYMM.DD.
func isBase(s string) bool {
	if len(s) != len("YYYYMM.DD") {
		return false
	}
	for i := range len(s) {
		if i == len("YYYYMM") {
			if s[i] != '.' {
				return false
			}
		} else if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// Base returns the base YYYYMM.DD of a version YYYYMM.DD.PATCH, for example "202604.01" for "202604.01.3", and
// false for any other text.
func Base(version string) (string, bool) {
	v, ok := parseVersion(version)
	return v.base, ok
}

// ShouldUpgrade reports whether a node at current takes hotfix: both are versions YYYYMM.DD.PATCH of the same
// base, and the hotfix has the higher patch as a number. Anything that is no version, such as "dev", is no reason
// to upgrade.
func ShouldUpgrade(current, hotfix string) bool {
	c, ok := parseVersion(current)
	if !ok {
		return false
	}
	h, ok := parseVersion(hotfix)
	return ok && c.base == h.base && h.patch > c.patch
}
