package pointer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/bootpointer/bootpointer/internal/symlinks"
)

// DefaultPath is the pointer file of a node.
const DefaultPath = "/opt/azure/containers/aks-node-controller-hotfix.json"

const (
	// maxAttempts is how often a merge is done again because another program wrote the file meanwhile. The pauses
	// between them add up to 450 ms.
	maxAttempts  = 10
	attemptPause = 10 * time.Millisecond
	// settleTime is how long an empty or torn file may be the blink between a truncation and a write.
	settleTime = 250 * time.Millisecond
	// lockTime is how long other stagers are waited for. One takes a few fsyncs, some 10 ms each.
	lockTime = time.Second
	// pollPause is how long nothing is tried while one of these times runs.
	pollPause = 5 * time.Millisecond
)

// Stager writes the hotfixes of a pointer into the pointer file, which other programs read and write too. Readers
// see the old file or the new one, and the members of others stay as they are, byte for byte. It is safe for
// concurrent use, in one process and in several.
//
// What it guarantees on which file systems is in docs/staging.md.
type Stager struct {
	path   string
	dryRun bool
	log    *slog.Logger
	disk   disk
}

// StagerOption changes a [Stager].
type StagerOption func(*Stager)

// WithDryRun has everything done except writing: changed says what would be. The default writes.
func WithDryRun() StagerOption { return func(s *Stager) { s.dryRun = true } }

// WithLogger has the odd things logged that staging works around, such as a file that does not parse. The default
// is silence.
func WithLogger(log *slog.Logger) StagerOption { return func(s *Stager) { s.log = log } }

// NewStager returns a stager for the pointer file at path, on a node [DefaultPath]. It refuses an empty path and a
// nil logger, and does not touch the file.
func NewStager(path string, opts ...StagerOption) (*Stager, error) {
	s := &Stager{path: path, log: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		opt(s)
	}
	if s.path == "" {
		return nil, errors.New("stager: no path")
	}
	if s.log == nil {
		return nil, errors.New("stager: nil logger")
	}
	return s, nil
}

// Path returns the path the stager was made with. Where that is a symlink, its target is what gets replaced.
func (s *Stager) Path() string { return s.path }

// Stage replaces the hotfixes in the file by those of p, the service's answer. changed says whether bytes were
// written: not if the file says the same already, and not if p is empty.
//
// It waits at most about 2 s for other writers, less if ctx ends, and then nothing is staged.
func (s *Stager) Stage(ctx context.Context, p Pointer) (changed bool, err error) {
	return s.update(ctx, p, func(_, hotfixes map[string]string) map[string]string { return hotfixes })
}

// Merge adds the hotfixes of p, a pointer that came with the node, to those in the file. Where both have a base,
// the higher patch stays. Entries in the file that are not a base and a version of it are dropped. For the rest it
// is like [Stager.Stage].
func (s *Stager) Merge(ctx context.Context, p Pointer) (changed bool, err error) {
	return s.update(ctx, p, union)
}

func union(staged, hotfixes map[string]string) map[string]string {
	all := maps.Clone(staged)
	if all == nil {
		all = map[string]string{}
	}
	for base, version := range hotfixes {
		if old, ok := all[base]; !ok || ShouldUpgrade(old, version) {
			all[base] = version
		}
	}
	return all
}

// combine makes the hotfixes to stage of those in the file and the new ones.
type combine func(staged, hotfixes map[string]string) map[string]string

func (s *Stager) update(ctx context.Context, p Pointer, c combine) (changed bool, err error) {
	changed, err = s.stage(ctx, p, c)
	if err != nil {
		return changed, fmt.Errorf("stage: %w", err)
	}
	return changed, nil
}

func (s *Stager) stage(ctx context.Context, p Pointer, c combine) (changed bool, err error) {
	if err := p.validate(); err != nil {
		return false, err
	}
	if p.Empty() {
		return false, nil
	}
	target, err := symlinks.Resolve(s.path)
	if err != nil {
		return false, err
	}
	dir, err := os.Open(filepath.Dir(target))
	if err != nil {
		return false, err
	}
	defer dir.Close() // ends the lock
	if !s.dryRun {
		if err := s.prepare(ctx, dir, target); err != nil {
			return false, err
		}
	}
	e := &edit{Stager: s, dir: dir, target: target}
	for attempt := range maxAttempts {
		if err = pause(ctx, time.Duration(attempt)*attemptPause); err != nil {
			return false, err
		}
		changed, err = e.try(ctx, p, c)
		if !errors.Is(err, errChanged) {
			return changed, err
		}
		s.log.Debug("pointer file changed while staging", "path", target, "attempt", attempt+1)
	}
	return false, fmt.Errorf("%s: %w", target, err)
}

// prepare waits for the other stagers of the directory, and under their lock removes what killed ones left.
func (s *Stager) prepare(ctx context.Context, dir *os.File, target string) error {
	limit := lockTime
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/3) // the rest is for staging without it
	}
	deadline := time.Now().Add(limit)
	for {
		err := s.disk.lock(dir)
		if err == nil {
			s.removeStale(ctx, dir, target)
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(deadline) {
			// The lock spares stagers work. What keeps the file whole does not depend on it.
			s.log.Warn("staging without the lock", "dir", dir.Name(), "error", err)
			return nil
		}
		if err := pause(ctx, pollPause); err != nil {
			return err
		}
	}
}

// pause waits for d, or until ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ctx.Err()
	}
}
