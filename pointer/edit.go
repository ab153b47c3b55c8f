package pointer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// edit is one read-modify-write of the pointer file.
type edit struct {
	*Stager
	dir    *os.File
	target string
	// tornSince is when the file was found empty or torn, and zero once it was whole again.
	tornSince time.Time
}

// original is the pointer file as it was read.
type original struct {
	file
	document
	// fault says why the bytes are no document, and is nil where they are one or there are none.
	fault error
}

// try stages once. The error is errChanged if another program was at the file meanwhile.
func (e *edit) try(ctx context.Context, p Pointer, c combine) (changed bool, err error) {
	old, err := e.settled(ctx)
	if err != nil {
		return false, err
	}
	hotfixes := c(old.hotfixes, p.Hotfixes)
	if old.has(hotfixes) {
		return false, nil
	}
	text, err := old.with(hotfixes)
	if err != nil {
		return false, err
	}
	if err := checkNew(text, hotfixes); err != nil {
		return false, fmt.Errorf("new %s: %w", e.target, err)
	}
	if e.dryRun {
		return true, nil
	}
	return e.replace(ctx, old, text)
}

// checkNew refuses a text that its reader, or the next run of ours, would not read as it is meant.
func checkNew(text []byte, hotfixes map[string]string) error {
	if len(text) > MaxFileSize {
		return fmt.Errorf("larger than %d bytes", MaxFileSize)
	}
	d, err := readDocument(text)
	if err == nil && !d.has(hotfixes) {
		err = errors.New("other hotfixes than meant")
	}
	return err
}

// settled reads the file, and reads it again while it may be between a truncation and a write.
func (e *edit) settled(ctx context.Context) (original, error) {
	for {
		f, err := e.disk.read(e.target)
		if err != nil {
			return original{}, err
		}
		if !f.exists() {
			return original{document: newDocument()}, nil
		}
		doc, fault := readDocument(f.bytes)
		if fault == nil {
			e.tornSince = time.Time{}
			return original{file: f, document: doc}, nil
		}
		if e.tornSince.IsZero() {
			e.tornSince = time.Now()
		}
		if time.Since(e.tornSince) >= settleTime {
			if isBlank(f.bytes) {
				fault = nil // nothing in it to keep
			}
			return original{file: f, document: newDocument(), fault: fault}, nil
		}
		if err := pause(ctx, pollPause); err != nil {
			return original{}, err
		}
	}
}

// replace writes text beside the file and puts it in the file's place, if that is still the old one. changed says
// whether it stands there in the end.
func (e *edit) replace(ctx context.Context, old original, text []byte) (changed bool, err error) {
	temp := tempName(e.target)
	defer e.discard(temp)
	if err := e.disk.create(temp, text, old.attributes); err != nil {
		return false, err
	}
	now, err := e.disk.read(e.target)
	if err != nil {
		return false, err
	}
	if !now.same(old.file) {
		return false, errChanged
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if old.fault != nil {
		if err := e.keepCorrupt(old); err != nil {
			return false, err
		}
	}
	if !old.exists() {
		return e.putNew(temp)
	}
	return e.put(temp, old.bytes, text)
}

// keepCorrupt copies a file that does not parse, so that its bytes are safe before it is replaced.
func (e *edit) keepCorrupt(old original) error {
	corrupt := e.target + ".corrupt"
	e.log.Warn("pointer file does not parse", "path", e.target, "kept", corrupt, "error", old.fault)
	temp := tempName(e.target)
	defer e.discard(temp)
	if err := e.disk.create(temp, old.bytes, old.attributes); err != nil {
		return err
	}
	return e.disk.rename(temp, corrupt)
}

// putNew gives temp the name of the file, unless there is one by now.
func (e *edit) putNew(temp string) (changed bool, err error) {
	err = e.disk.place(temp, e.target)
	if errors.Is(err, fs.ErrExist) {
		return false, errChanged
	}
	if unsupported(err) {
		err = e.disk.rename(temp, e.target)
	}
	if err != nil {
		return false, err
	}
	return true, e.disk.syncDir(e.dir)
}

// put exchanges temp with the file, and looks at what it got for it: a writer may have come at the last moment, or
// have the file open and be about to write. Then its file goes back, and so it does when the exchange cannot be synced.
func (e *edit) put(temp string, old, text []byte) (changed bool, err error) {
	err = e.disk.exchange(temp, e.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, errChanged
	case unsupported(err):
		if err := e.disk.rename(temp, e.target); err != nil {
			return false, err
		}
		return true, e.disk.syncDir(e.dir)
	case err != nil:
		return false, err
	}
	err = e.disk.atRest(temp, old)
	if err == nil {
		err = e.disk.syncDir(e.dir)
	}
	if err == nil {
		return true, nil
	}
	if back := e.takeBack(temp, text); back != nil {
		return false, back
	}
	return false, err
}

// takeBack exchanges the files again, and once more if a writer got at ours in the blink it stood there: then that
// one has the newest bytes. It ends whatever the context says, so that the right file stays.
func (e *edit) takeBack(temp string, text []byte) error {
	if err := e.disk.exchange(temp, e.target); err != nil {
		return e.disk.rename(temp, e.target)
	}
	err := e.disk.atRest(temp, text)
	for began := time.Now(); errors.Is(err, errOpen) && time.Since(began) < settleTime; {
		time.Sleep(pollPause)
		err = e.disk.atRest(temp, text)
	}
	if errors.Is(err, errOpen) {
		return nil // open all this time and nothing written: a process that was just forked, not a writer
	}
	if errors.Is(err, errChanged) {
		return e.disk.exchange(temp, e.target)
	}
	return err
}

// discard removes a file that may be gone already. If it cannot, the next run does.
func (e *edit) discard(temp string) {
	if err := e.disk.remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.log.Warn("temporary file stays", "path", temp, "error", err)
	}
}
