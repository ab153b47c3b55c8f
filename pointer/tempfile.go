package pointer

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
)

const tempSuffix = ".tmp"

// randomLen is the length of what crypto/rand.Text returns.
const randomLen = 26

// tempName returns a name beside target that nobody can guess.
func tempName(target string) string {
	return filepath.Join(filepath.Dir(target), tempPrefix(target)+rand.Text()+tempSuffix)
}

func tempPrefix(target string) string { return "." + filepath.Base(target) + "." }

// isTemp reports whether name is one that tempName gives for target.
func isTemp(name, target string) bool {
	random, ok := strings.CutPrefix(name, tempPrefix(target))
	if !ok {
		return false
	}
	random, ok = strings.CutSuffix(random, tempSuffix)
	return ok && len(random) == randomLen && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// removeStale removes the temporary files of stagers that were killed. Only the lock's holder may: no other stager
// that has a temporary file is alive then.
func (s *Stager) removeStale(ctx context.Context, dir *os.File, target string) {
	for ctx.Err() == nil {
		entries, err := dir.ReadDir(256)
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !isTemp(entry.Name(), target) {
				continue
			}
			stale := filepath.Join(dir.Name(), entry.Name())
			err := s.disk.remove(stale)
			s.log.Debug("stale temporary file", "path", stale, "error", err)
		}
		if err != nil {
			return
		}
	}
}
