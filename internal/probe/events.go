package probe

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// lookAtEvents says whether the event could be written. One that cannot be is lost, and no hotfix with it.
func (p *run) lookAtEvents(ctx context.Context) Layer {
	l := p.begin(LayerEvents, "")
	if p.Events == "" {
		l.skip("no event is asked for")
		return l
	}
	seen, inTime := within(ctx, diskTime, func(context.Context) Layer {
		seen := l
		examineEvents(&seen, p.Events)
		return seen
	})
	if inTime {
		l = seen
	} else {
		l.warn("looking at the folder hangs: the event of a check would be lost")
	}
	l.Tried = "look at the folder " + p.Events + ", without writing"
	p.end(ctx, &l)
	return l
}

// examineEvents looks at the folder, or where it is missing at the nearest one above it, in which it would be made.
func examineEvents(l *Layer, folder string) {
	l.detail("path", folder)
	there := folder
	info, err := os.Stat(there)
	for errors.Is(err, fs.ErrNotExist) && there != filepath.Dir(there) {
		if _, dangling := os.Lstat(there); dangling == nil {
			break // a link to nowhere, in whose place nothing is made
		}
		there = filepath.Dir(there)
		info, err = os.Stat(there)
	}
	l.detail("exists", there == folder && err == nil)
	switch {
	case err != nil:
		l.warn("events would be lost: " + err.Error())
	case !info.IsDir():
		l.warn("events would be lost: " + there + " is no folder")
	case writable(there) != nil:
		l.warn("events would be lost: the folder " + there + ": " + writable(there).Error())
	case there != folder:
		l.ok("it does not exist yet, and is made when it is needed")
	default:
		l.ok("it is there")
	}
}
