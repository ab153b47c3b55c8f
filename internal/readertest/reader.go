package readertest

import (
	"encoding/json"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// File is the pointer file as download-hotfix reads it.
type File struct {
	Version        string            `json:"version"`
	ScriptsVersion string            `json:"scripts_version"`
	Hotfixes       map[string]string `json:"hotfixes"`
}

// Decide is what download-hotfix makes of a pointer file on a node that runs current: the version it upgrades to, or
// "". The error says that it cannot read the file, and does nothing.
func Decide(file []byte, current string) (string, error) {
	var f File
	if err := json.Unmarshal(file, &f); err != nil {
		return "", err
	}
	target := f.Version
	if len(f.Hotfixes) > 0 {
		parts := strings.SplitN(current, ".", 3)
		if len(parts) < 3 {
			return "", nil
		}
		target = f.Hotfixes[parts[0]+"."+parts[1]]
	}
	from, err := semver.NewVersion(current)
	if err != nil {
		return "", nil
	}
	to, err := semver.NewVersion(target)
	if err != nil || from.Major() != to.Major() || from.Minor() != to.Minor() || !to.GreaterThan(from) {
		return "", nil
	}
	return target, nil
}
