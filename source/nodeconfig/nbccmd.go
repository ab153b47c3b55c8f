package nodeconfig

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
)

// The two variables of the shell command that matter here.
const (
	hostVariable = "API_SERVER_NAME"
	casVariable  = "KUBE_CA_CRT"
)

var errExpansion = errors.New("is not literal text, and nothing is run to find out")

// value is what the script gives a variable.
type value struct {
	text string
	// literal is false where only running the script would tell the value.
	literal bool
}

// ParseNBCCmd reads the provisioning command of a node, a shell script whose variables hold the config. Nothing of
// it is run or expanded. Of several assignments to a variable the last usable one counts: one whose value has an
// expansion in it, or is no host or no CA, is passed over. Where the shell grammar gives no usable assignment, a
// scan for the variable's name and "=" does. The error is for text with neither variable in it.
func ParseNBCCmd(b []byte) (Config, error) {
	script := string(b)
	parsed := parseAssignments(script)
	var c Config
	c.Host, c.hostErr = lastUsable(script, parsed, hostVariable, NormalizeHost)
	c.CAs, c.casErr = lastUsable(script, parsed, casVariable, parseCAText)
	if errors.Is(c.hostErr, errMissing) && errors.Is(c.casErr, errMissing) {
		return Config{}, fmt.Errorf("has no assignment to %s or %s", hostVariable, casVariable)
	}
	return c, nil
}

// lastUsable converts the last usable value of a variable. What the shell grammar says comes before what the scan
// finds. The error is that of the value that should have counted.
func lastUsable[T any](script string, parsed map[string][]value, variable string, convert func(string) (T, error)) (T, error) {
	var firstErr error
	for _, v := range slices.Backward(slices.Concat(scanAssignments(script, variable), parsed[variable])) {
		got, err := convertLiteral(v, convert)
		if err == nil {
			return got, nil
		}
		if firstErr == nil {
			firstErr = fmt.Errorf("%s: %w", variable, err)
		}
	}
	if firstErr == nil {
		firstErr = fmt.Errorf("%s %w", variable, errMissing)
	}
	var zero T
	return zero, firstErr
}

func convertLiteral[T any](v value, convert func(string) (T, error)) (T, error) {
	if !v.literal {
		var zero T
		return zero, errExpansion
	}
	return convert(v.text)
}

func parseCAText(text string) ([]*x509.Certificate, error) { return ParseCAs([]byte(text)) }
