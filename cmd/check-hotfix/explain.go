package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/bootpointer/bootpointer/internal/symlinks"
	"github.com/bootpointer/bootpointer/pointer"
)

func explainCommand() command {
	return command{
		name:    "explain",
		summary: "say what the staged pointer means for this node, and why",
		description: "check-hotfix explain reads the staged pointer, member by member, and says what download-hotfix does with it on\n" +
			"this node. It reads one file, asks nobody and changes nothing.\n\n" +
			"The map `hotfixes` is looked at first. If it has entries, this node's base has to be among them, and the legacy\n" +
			"`version` does not count; it counts only where the map is empty or absent. A hotfix is installed if it is of the\n" +
			"same base and has the higher patch, as a number: 10 beats 9. It never lowers.",
		examples: []example{
			{"check-hotfix explain", "this node and its staged pointer"},
			{"check-hotfix explain --current-version 202604.01.0", "what a node with that version would do"},
			{"check-hotfix explain --pointer ./hotfix.json", "a file before it is rolled out"},
			{"check-hotfix explain --output json | jq .would_upgrade", "the answer for a script"},
		},
		bind: func(s *settings, f *flag.FlagSet) {
			s.bindStaged(f)
			s.bindOutput(f)
		},
		limit:  func(*settings) time.Duration { return explainTime },
		failed: 1, misused: 2,
		exits: "0 if the file can be read, or no pointer is staged; what is not certain about it is said. 1 if the file cannot be read\n" +
			"or is malformed; 2 for wrong flags or arguments.",
		run: explain,
	}
}

// explainTime is the most that reading a file and printing may take, on a file system that hangs too.
const explainTime = 5 * time.Second

// explain prints what the staged pointer means for this node.
func explain(_ context.Context, s *settings, stdout, _ io.Writer) int {
	e := explainFile(s.pointer, s.currentVersion)
	var err error
	if s.output.value == "json" {
		err = printJSON(stdout, e)
	} else {
		_, err = io.WriteString(stdout, e.text(newTerminal(stdout, os.LookupEnv)))
	}
	if err != nil || e.Error != "" {
		return 1
	}
	return 0
}

// explanation is what a pointer file means for one node. It marshals to the JSON that explain prints, whose members
// are described in docs/explain.schema.json.
type explanation struct {
	Pointer         string            `json:"pointer"`
	Target          string            `json:"target"`
	State           fileState         `json:"state"`
	SizeBytes       int64             `json:"size_bytes"`
	Modified        string            `json:"modified"`
	CurrentVersion  string            `json:"current_version"`
	ResolvedVersion string            `json:"resolved_version"`
	WouldUpgrade    bool              `json:"would_upgrade"`
	Rule            rule              `json:"rule"`
	DecidedBy       string            `json:"decided_by"`
	Explanation     string            `json:"explanation"`
	Members         []explainedMember `json:"members"`
	MembersOmitted  int               `json:"members_omitted"`
	Entries         []explainedEntry  `json:"entries"`
	EntriesOmitted  int               `json:"entries_omitted"`
	Warnings        []string          `json:"warnings"`
	Doubts          []string          `json:"doubts"`
	Corrupt         string            `json:"corrupt"`
	Error           string            `json:"error"`
}

// fileState is what was found at the path.
type fileState string

const (
	stateAbsent     fileState = "absent"
	stateRead       fileState = "read"
	stateMalformed  fileState = "malformed"
	stateUnreadable fileState = "unreadable"
)

// explainFile explains the pointer file at path for a node that runs current.
func explainFile(path, current string) explanation {
	e := newExplanation(path, current)
	e.lookAround()
	file, err := pointer.ReadFileBytes(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.State, e.Rule = stateAbsent, ruleNothingStaged
	case err != nil:
		e.State, e.Rule, e.Error = stateUnreadable, ruleUnreadable, err.Error()
	default:
		e.explainBytes(file)
	}
	e.Explanation = e.sentence()
	return e
}

// newExplanation has empty lists, where JSON would have null.
func newExplanation(path, current string) explanation {
	return explanation{Pointer: path, CurrentVersion: current, Members: []explainedMember{}, Entries: []explainedEntry{},
		Warnings: []string{}, Doubts: []string{}}
}

// lookAround fills in what is there beside the bytes of the file.
func (e *explanation) lookAround() {
	target, err := symlinks.Resolve(e.Pointer)
	if err != nil {
		target = e.Pointer // absent, or reading it will tell
	}
	if info, err := os.Lstat(e.Pointer); err == nil && info.Mode().Type() == fs.ModeSymlink {
		e.Target = target
	}
	if info, err := os.Lstat(target); err == nil && info.Mode().IsRegular() {
		e.SizeBytes, e.Modified = info.Size(), info.ModTime().UTC().Format(time.RFC3339)
	}
	if _, err := os.Lstat(target + ".corrupt"); err == nil {
		e.Corrupt = target + ".corrupt"
	}
}

// explainBytes explains what stands in the file.
func (e *explanation) explainBytes(file []byte) {
	e.SizeBytes = int64(len(file))
	p, warnings, err := pointer.ParseFile(file)
	for _, w := range warnings {
		e.Warnings = append(e.Warnings, string(w))
	}
	if err != nil {
		e.State, e.Rule, e.Error = stateMalformed, ruleMalformed, err.Error()
	} else {
		e.State = stateRead
		e.decide(p)
	}
	if _, broken := errors.AsType[*json.SyntaxError](err); !broken {
		e.listMembers(file, p)
		e.doubt(file, p)
	}
}
