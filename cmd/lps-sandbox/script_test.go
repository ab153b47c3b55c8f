//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// programs is the folder with lps-sandbox and check-hotfix, built by TestMain.
var programs string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "lps-sandbox-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		programs = dir
		build := exec.Command("go", "build", "-race", "-o", dir+"/", ".", "../check-hotfix")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		status := m.Run()
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return status
	}())
}

// TestScripts runs the stories in testdata/script. Each may start a sandbox and run check-hotfix against it, as the
// sandbox says. The commands beyond testscript's own are in scriptCommands.
func TestScripts(t *testing.T) {
	t.Parallel()
	deadline, ok := t.Deadline()
	if !ok {
		deadline = time.Now().AddDate(1, 0, 0)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Values[processKey{}] = &process{deadline: deadline}
			env.Setenv("PROGRAMS", programs)
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sandbox":      startSandbox,
			"type":         typeLine,
			"says":         says,
			"complains":    complains,
			"fault":        typeFault,
			"check":        check,
			"paste":        paste,
			"token-unseen": tokenUnseen,
			"end":          end,
		},
	})
}

// process is the sandbox of a script.
type process struct {
	cmd            *exec.Cmd
	stdin          io.WriteCloser
	stdout, stderr output
	done           chan struct{} // closed when it has ended
	deadline       time.Time     // of the test
	commandLine    string
}

type processKey struct{}

func sandboxOf(ts *testscript.TestScript) *process { return ts.Value(processKey{}).(*process) }

// output is what a process has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	read int // how much of it a script has dealt with
}

// Write is called by package exec.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) all() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// take finds pattern in what no script has dealt with, and takes everything up to its end.
func (o *output) take(pattern *regexp.Regexp) ([]string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := o.text.String()[o.read:]
	at := pattern.FindStringSubmatchIndex(rest)
	if at == nil {
		return nil, false
	}
	found := pattern.FindStringSubmatch(rest)
	o.read += at[1]
	return found, true
}

// await takes pattern from o, however long that takes to come, unless the sandbox ends without it. It gives up in time
// before go test does, for the processes to be ended.
func (p *process) await(ts *testscript.TestScript, o *output, pattern string) []string {
	re, err := regexp.Compile("(?m)" + pattern)
	ts.Check(err)
	for {
		ended := time.Until(p.deadline) < 10*time.Second
		select {
		case <-p.done:
			ended = true
		case <-time.After(5 * time.Millisecond):
		}
		if found, ok := o.take(re); ok {
			return found
		}
		if ended {
			ts.Fatalf("the sandbox has not said %q:\n%s\n%s", pattern, p.stdout.all(), p.stderr.all())
		}
	}
}

// sandbox [ARGS]: starts the sandbox and waits until it serves. The variable STDIN says what its stdin is: a pipe,
// "null", "closed" or "ended", which is a pipe that has ended.
func startSandbox(ts *testscript.TestScript, _ bool, args []string) {
	p := sandboxOf(ts)
	*p = process{done: make(chan struct{}), deadline: p.deadline}
	program := filepath.Join(programs, "lps-sandbox")
	p.cmd = exec.Command(program, args...)
	if ts.Getenv("STDIN") == "closed" {
		p.cmd = exec.Command("sh", append([]string{"-c", `exec "$0" "$@" <&-`, program}, args...)...)
	}
	p.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GORACE", "GODEBUG", "GRPC_GO_LOG_SEVERITY_LEVEL", "GRPC_GO_LOG_VERBOSITY_LEVEL"} {
		p.cmd.Env = append(p.cmd.Env, name+"="+ts.Getenv(name))
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if stdin := ts.Getenv("STDIN"); stdin == "" || stdin == "ended" {
		pipe, err := p.cmd.StdinPipe()
		ts.Check(err)
		p.stdin = pipe
	}
	ts.Check(p.cmd.Start())
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	ts.Defer(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	if ts.Getenv("STDIN") == "ended" {
		ts.Check(p.stdin.Close())
	}
	p.commandLine = p.await(ts, &p.stdout, `(?s)from the root of the repository:\n\n(.*?)\n\nTo be told`)[1]
	p.await(ts, &p.stdout, `^now: .*\n`)
}

// type LINE: types a command.
func typeLine(ts *testscript.TestScript, _ bool, args []string) {
	_, err := fmt.Fprintln(sandboxOf(ts).stdin, args[0])
	ts.Check(err)
}

// says PATTERN: waits for a text on the sandbox's stdout, after what was waited for before.
func says(ts *testscript.TestScript, _ bool, args []string) {
	p := sandboxOf(ts)
	p.await(ts, &p.stdout, args[0])
}

// complains PATTERN: waits for a text on the sandbox's stderr, after what was waited for before.
func complains(ts *testscript.TestScript, _ bool, args []string) {
	p := sandboxOf(ts)
	p.await(ts, &p.stderr, args[0])
}

// fault LINE OUTCOME REASON [ARGS]: types a fault, waits until it is there, and does what check does.
func typeFault(ts *testscript.TestScript, _ bool, args []string) {
	typeLine(ts, false, args[:1])
	says(ts, false, []string{`^now: .*` + regexp.QuoteMeta(args[0]) + `.*\n`})
	check(ts, false, args[1:])
}

// check OUTCOME REASON [ARGS]: runs the command line that the sandbox printed, with JSON output and ARGS after it. The
// first attempt has to have the reason. Machines that run tests are busy, so that there is a minute's time, unless ARGS
// say otherwise.
func check(ts *testscript.TestScript, _ bool, args []string) {
	outcome, reason, more := args[0], args[1], args[2:]
	if !slices.Contains(more, "--timeout") {
		more = append(more, "--timeout", "1m")
	}
	paste(ts, false, append(more, "--output", "json"))
	var got struct {
		Outcome  string
		Attempts []struct{ Reason string }
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &got))
	if len(got.Attempts) == 0 || got.Outcome != outcome || got.Attempts[0].Reason != reason {
		ts.Fatalf("got %+v, want outcome %q and reason %q: %s", got, outcome, reason, ts.ReadFile("stdout"))
	}
}

// paste [ARGS]: runs the command line that the sandbox printed, with ARGS after it. @https stands for the two flags of HTTPS.
func paste(ts *testscript.TestScript, _ bool, args []string) {
	p := sandboxOf(ts)
	line := p.commandLine
	for _, arg := range args {
		if arg == "@https" {
			line += " " + regexp.MustCompile(`For HTTPS, add: (.*)`).FindStringSubmatch(p.stdout.all())[1]
		} else {
			line += " " + quote(arg)
		}
	}
	ts.Check(ts.Exec("sh", "-c", line))
}

// token-unseen: the token is in nothing that the sandbox printed.
func tokenUnseen(ts *testscript.TestScript, _ bool, _ []string) {
	p := sandboxOf(ts)
	endpoint := regexp.MustCompile(`--imds-endpoint (\S+)`).FindStringSubmatch(p.stdout.all())[1]
	request, err := http.NewRequest(http.MethodGet, endpoint+"/metadata/attested/document?api-version=2025-04-07", nil)
	ts.Check(err)
	request.Header.Set("Metadata", "true")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	var document struct{ Signature string }
	ts.Check(json.NewDecoder(response.Body).Decode(&document))
	if document.Signature == "" {
		ts.Fatalf("no token to look for")
	}
	const run = 24 // bytes that are no coincidence
	printed := p.stdout.all() + p.stderr.all()
	for i := 0; i+run <= len(document.Signature); i++ {
		if strings.Contains(printed, document.Signature[i:i+run]) {
			ts.Fatalf("the token is in the output:\n%s", printed)
		}
	}
}

// end HOW STATUS: ends the sandbox by the signal TERM, INT, HUP or QUIT, or by a line, and compares its exit status.
func end(ts *testscript.TestScript, _ bool, args []string) {
	p := sandboxOf(ts)
	signals := map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT}
	if s, ok := signals[args[0]]; ok {
		if signal.Ignored(s) { // under nohup, or in the background of a shell: the sandbox ignores it as well
			s = syscall.SIGTERM
		}
		for range 20 { // timeout(1), too, signals the process and then its group
			if err := p.cmd.Process.Signal(s); !errors.Is(err, os.ErrProcessDone) {
				ts.Check(err)
			}
			time.Sleep(time.Millisecond)
		}
	} else {
		typeLine(ts, false, args[:1])
	}
	<-p.done
	if got := strconv.Itoa(p.cmd.ProcessState.ExitCode()); got != args[1] {
		ts.Fatalf("exit status %s, want %s: %s", got, args[1], p.stderr.all())
	}
	if p.stdin != nil {
		if err := p.stdin.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			ts.Check(err)
		}
	}
}
