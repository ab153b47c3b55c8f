package nodeconfig

import (
	"cmp"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxParsed is the largest script in bytes that is parsed: several times the largest real one. The tree takes
	// up to a hundred times the size of the text; a larger script is only scanned.
	maxParsed = 1 << 20
	// maxFrames is how deep the parser may recurse: a stack that overflows ends the process. The real scripts seen
	// need 22 frames.
	maxFrames = 1000
	// maxDepth is how deep the tree is looked at, for the same reason: a pipeline of n commands is n deep.
	maxDepth = 4000
)

// assignment is one assignment to a variable we want, and where it stands.
type assignment struct {
	name string
	at   uint
	value
}

// parseAssignments returns what the script assigns to our variables, by name and in order. It returns nothing for
// a script that the parser rejects.
func parseAssignments(script string) map[string][]value {
	file := parse(script)
	if file == nil {
		return nil
	}
	var found []assignment
	depth := 0
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil: // the end of a node
			depth--
			return true
		case *syntax.Assign:
			found = appendAssign(found, n)
		case *syntax.Redirect:
			found = appendRedirect(found, n)
		}
		if depth == maxDepth {
			return false
		}
		depth++
		return true
	})
	// A tree lists the redirections of a command after its assignments.
	slices.SortStableFunc(found, func(a, b assignment) int { return cmp.Compare(a.at, b.at) })
	values := make(map[string][]value)
	for _, a := range found {
		values[a.name] = append(values[a.name], a.value)
	}
	return values
}

// parse returns the script's tree, or nil. A parser that panics has rejected the script.
func parse(script string) (file *syntax.File) {
	if len(script) > maxParsed {
		return nil
	}
	defer func() {
		if recover() != nil {
			file = nil
		}
	}()
	file, err := syntax.NewParser().Parse(&shallowReader{Reader: strings.NewReader(script)}, "")
	if err != nil {
		return nil
	}
	return file
}

// shallowReader ends the input of a parser that has gone too deep. The parser reads 1 KiB at a time from within
// its recursion, which bounds the depth whatever the grammar nests.
type shallowReader struct {
	io.Reader
	reads int
}

func (r *shallowReader) Read(p []byte) (int, error) {
	r.reads++
	// Looking at the stack takes as long as parsing a hundred bytes: every fourth time is often enough.
	var caller [1]uintptr
	if r.reads%4 == 0 && runtime.Callers(maxFrames, caller[:]) > 0 {
		return 0, errors.New("nested too deep")
	}
	return r.Reader.Read(p)
}

func appendAssign(found []assignment, a *syntax.Assign) []assignment {
	plain := a.Name != nil && !a.Naked && !a.Append && a.Index == nil && a.Array == nil
	if !plain || !wanted(a.Name.Value) {
		return found
	}
	return append(found, assignment{a.Name.Value, a.Pos().Offset(), literal(a.Value)})
}

// appendRedirect finds the assignment in "A=<nil> B=value": the writer's template printed a missing value, and the
// shell reads redirections, the second one to a file named "B=value".
func appendRedirect(found []assignment, r *syntax.Redirect) []assignment {
	if r.Op != syntax.RdrOut {
		return found
	}
	word := literal(r.Word)
	name, text, ok := strings.Cut(word.text, "=")
	if !ok || !wanted(name) {
		return found
	}
	return append(found, assignment{name, r.OpPos.Offset(), value{text, word.literal}})
}

func wanted(name string) bool { return name == hostVariable || name == casVariable }

// literal returns the text of a word. Where the word has an expansion in it, the text ends there.
func literal(w *syntax.Word) value {
	if w == nil {
		return value{literal: true}
	}
	var b strings.Builder
	for _, part := range w.Parts {
		if !writeLiteral(&b, part, false) {
			return value{text: b.String()}
		}
	}
	return value{b.String(), true}
}

func writeLiteral(b *strings.Builder, part syntax.WordPart, quoted bool) bool {
	switch p := part.(type) {
	case *syntax.Lit:
		b.WriteString(unescape(p.Value, quoted))
		return true
	case *syntax.SglQuoted:
		b.WriteString(p.Value)
		return !p.Dollar
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			if !writeLiteral(b, inner, true) {
				return false
			}
		}
		return !p.Dollar
	default:
		return false
	}
}

// unescape removes the backslashes that quote the next character: inside double quotes only some are.
func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("\"\\$`\n", s[i+1]) >= 0) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
