package nodeconfig

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	// maxHostInput is the longest text in bytes that is looked at: no name of 253 characters needs more.
	maxHostInput = 4096
	// maxName and maxLabel are the limits of RFC 1035, 2.3.4, for a name written without the final dot.
	maxName  = 253
	maxLabel = 63
)

// NormalizeHost returns the bare, lower-case form of an API server's name: of "host", "host:443",
// "https://host:443/path", a name with a final dot or in Unicode, or an IP literal with or without brackets. Port
// and path are dropped. The result is a name of letters, digits and hyphens or an IP without brackets, and
// normalises to itself. The errors say what is wrong without quoting it.
func NormalizeHost(s string) (string, error) {
	switch {
	case s == "":
		return "", errors.New("host is empty")
	case len(s) > maxHostInput:
		return "", errors.New("host is too long")
	case !utf8.ValidString(s):
		return "", errors.New("host is not UTF-8")
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return "", errors.New("host has a blank or control character in it")
	}
	authority, err := cutURL(s)
	if err != nil {
		return "", err
	}
	host, err := cutPort(authority)
	if err != nil {
		return "", err
	}
	if strings.Contains(host, ":") {
		return normalizeIPv6(host)
	}
	return normalizeName(host)
}

// cutURL returns the authority of an https URL, and s itself where it is none.
func cutURL(s string) (string, error) {
	scheme, rest, isURL := strings.Cut(s, "://")
	if isURL {
		if !strings.EqualFold(scheme, "https") {
			return "", errors.New("host is a URL with another scheme than https")
		}
		s = rest
		if end := strings.IndexAny(s, "/?#"); end >= 0 {
			s = s[:end]
		}
	}
	if strings.Contains(s, "@") {
		return "", errors.New("host has user information in it")
	}
	return s, nil
}

// cutPort returns the host without brackets and port. Only an IPv6 literal has a colon left in it.
func cutPort(s string) (string, error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		host, port, ok := strings.Cut(inner, "]")
		if !ok || !strings.Contains(host, ":") {
			return "", errors.New("host has brackets and no IPv6 address in them")
		}
		if port == "" {
			return host, nil
		}
		port, ok = strings.CutPrefix(port, ":")
		if !ok {
			return "", errors.New("host goes on after its brackets")
		}
		return host, checkPort(port)
	}
	if strings.Count(s, ":") != 1 {
		return s, nil
	}
	host, port, _ := strings.Cut(s, ":")
	return host, checkPort(port)
}

func checkPort(port string) error {
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return errors.New("port is not a number from 1 to 65535")
	}
	return nil
}

func normalizeIPv6(s string) (string, error) {
	addr, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return "", errors.New("host has colons in it and is no IPv6 address")
	case addr.Zone() != "":
		return "", errors.New("host is an IPv6 address with a zone, which means nothing outside one machine")
	}
	return addr.String(), nil
}

// normalizeName returns the ASCII form of a name or an IPv4 literal.
func normalizeName(s string) (string, error) {
	// The Lookup profile of the package, except that it refuses hyphens in positions 3 and 4, which cloud names have.
	profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(false))
	name, err := profile.ToASCII(s)
	if err != nil {
		return "", errors.New("host is no valid name")
	}
	name = strings.TrimSuffix(name, ".")
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.String(), nil
	}
	if err := checkName(name); err != nil {
		return "", err
	}
	return name, nil
}

// checkName checks what the profile does not: it has made sure of the characters.
func checkName(name string) error {
	if len(name) > maxName {
		return errors.New("host is too long")
	}
	for label := range strings.SplitSeq(name, ".") {
		switch {
		case label == "":
			return errors.New("host has an empty label")
		case len(label) > maxLabel:
			return errors.New("host has a label of more than 63 characters")
		case label[0] == '-' || label[len(label)-1] == '-':
			return errors.New("host has a label with a hyphen at its end")
		}
	}
	if last := name[strings.LastIndexByte(name, '.')+1:]; strings.Trim(last, "0123456789") == "" {
		return errors.New("host ends in a number and is no IPv4 address")
	}
	return nil
}
