package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bootpointer/bootpointer/internal/readfile"
	"github.com/bootpointer/bootpointer/internal/symlinks"
	"github.com/bootpointer/bootpointer/pointer"
)

// The reasons of the layer "file".
const (
	reasonHangs      = "hangs"
	reasonNoFolder   = "no-folder"
	reasonNotWritten = "not-writable"
	reasonIrregular  = "irregular"
	reasonUnreadable = "unreadable"
	reasonOwner      = "owner"
	reasonNotStaged  = "not-staged"
)

// lookAtFile says whether the answer could be staged. It asks the system what it would allow, and writes nothing.
func (p *run) lookAtFile(ctx context.Context) Layer {
	l := p.begin(LayerFile, "")
	tried := "look at " + p.Pointer + " and its folder, without writing"
	seen, inTime := within(ctx, diskTime, func(ctx context.Context) Layer {
		seen := l
		examineFile(ctx, &seen, p.Pointer, p.CurrentVersion)
		return seen
	})
	if inTime {
		l = seen
	} else {
		l.fail(reasonHangs, "", "looking at it takes more than "+diskTime.String())
	}
	l.Tried = tried
	p.end(ctx, &l)
	return l
}

// tell adds what became of the answer in a dry run, which reads the file and makes the new one.
func (l *Layer) tell(answer *call) {
	if answer == nil || answer.attempt.Err != nil || answer.result.Err == nil || l.Status == Failed || l.Status == Skipped {
		return
	}
	l.fail(reasonNotStaged, "", answer.result.Err.Error())
}

// examineFile fills in what can be said of the file, up to the first fault.
func examineFile(ctx context.Context, l *Layer, path, current string) {
	l.detail("path", path)
	target, err := symlinks.Resolve(path)
	if e, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		l.fail(reasonNoFolder, "", "there is no folder "+e.Path)
		return
	} else if err != nil {
		l.fail(reasonUnreadable, "", err.Error())
		return
	}
	if target != path {
		l.detail("target", target)
	}
	folder := filepath.Dir(target)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		l.fail(reasonNoFolder, "", "there is no folder "+folder)
		return
	}
	if err := writable(folder); err != nil {
		l.fail(reasonNotWritten, "", fmt.Sprintf("the folder %s: %v", folder, err))
		return
	}
	info, err := os.Lstat(target)
	l.detail("exists", err == nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.ok("it does not exist yet, and can be created")
		noteCorrupt(l, target)
	case err != nil:
		l.fail(reasonUnreadable, "", err.Error())
	case !info.Mode().IsRegular():
		l.detail("mode", info.Mode().String())
		l.fail(reasonIrregular, "", fmt.Sprintf("%s is no regular file: %s", target, info.Mode()))
	default:
		examineExisting(ctx, l, target, current, info)
	}
}

// examineExisting looks at a regular file.
func examineExisting(ctx context.Context, l *Layer, target, current string, info fs.FileInfo) {
	l.detail("mode", info.Mode().String())
	l.detail("bytes", int(info.Size()))
	mayKeepOwner := true
	if uid, gid, ok := owner(info); ok {
		l.detail("owner", fmt.Sprintf("%d:%d", uid, gid))
		me := os.Geteuid()
		mayKeepOwner = me == 0 || me == uid && memberOf(gid)
	}
	staged, warnings, err := pointer.ReadFile(target)
	corrupt := errors.Is(err, pointer.ErrMalformed)
	switch {
	case err != nil && !corrupt:
		l.fail(reasonUnreadable, "", err.Error())
		return
	case !mayKeepOwner:
		l.fail(reasonOwner, "", "it belongs to another user or group, which staging could not keep")
		return
	case immutable(target):
		l.fail(reasonNotWritten, "", "it is marked immutable")
		return
	case corrupt && memberNames(ctx, target) != nil:
		l.warn("its hotfixes cannot be used, a check would replace them and keep the rest: " + err.Error())
		return
	case corrupt && inTheWay(target+".corrupt"):
		l.fail(reasonIrregular, "", "it does not parse, and what is in the place of its copy is no file: "+target+".corrupt")
		return
	case corrupt:
		l.warn("it does not parse, a check would keep it as .corrupt and stage anew: " + err.Error())
		return
	}
	l.detail("members", append([]string{}, memberNames(ctx, target)...))
	version, _ := staged.Resolve(current)
	l.detail("this_node", version)
	words := fmt.Sprintf("%d entries are staged, ", len(staged.Hotfixes))
	if len(staged.Hotfixes) == 1 {
		words = "1 entry is staged, "
	}
	if version == "" {
		words += "none for the base of " + current
	} else {
		words += "for this node " + version
	}
	l.ok(words)
	if len(warnings) > 0 {
		l.warn(words + "; " + string(warnings[0]))
	}
	noteCorrupt(l, target)
}

// memberOf reports whether this process may give a file to that group.
func memberOf(gid int) bool {
	groups, err := os.Getgroups()
	return err != nil || gid == os.Getegid() || slices.Contains(groups, gid)
}

// inTheWay reports whether something else than a file has that name.
func inTheWay(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && !info.Mode().IsRegular()
}

// noteCorrupt notes a file that an earlier check found damaged and put aside.
func noteCorrupt(l *Layer, target string) {
	if info, err := os.Lstat(target + ".corrupt"); err == nil && info.Mode().IsRegular() {
		l.detail("corrupt", target+".corrupt")
		l.warn(l.Result + "; an earlier file that did not parse is kept as " + filepath.Base(target) + ".corrupt")
	}
}

// memberNames are the names of the file's members, without their values: nil where the file is no JSON object.
func memberNames(ctx context.Context, target string) []string {
	b, err := readfile.Read(ctx, target, pointer.MaxFileSize)
	if err != nil {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(b), "\ufeff")), &members); err != nil || members == nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(members))
	return names[:min(len(names), maxListed)]
}
