//go:build e2e

package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// launch is a run of provisioning-hotfix.sh with programs in the place of check-hotfix and of the agent.
type launch struct {
	dir, shell string
	// through is what the shell is started with, if anything.
	through []string
}

const (
	recordsCheck = "#!/bin/sh\necho check >>ran\n"
	recordsAgent = "#!/bin/sh\necho agent \"$@\" >>ran\n"
)

func newLaunch(t *testing.T, shell string) *launch {
	t.Helper()
	l := &launch{dir: t.TempDir(), shell: shell}
	l.write(t, "enabled_features.sh", "ENABLE_PROVISIONING_HOTFIX=true\n", 0o644)
	l.write(t, "check-hotfix", recordsCheck, 0o755)
	l.write(t, "agent", recordsAgent, 0o755)
	return l
}

func (l *launch) write(t *testing.T, name, content string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(l.dir, name)
	// A file that a process of another test has open for writing, as it was forked, cannot be executed.
	temp := path + ".new"
	require.NoError(t, os.WriteFile(temp, []byte(content), 0o600))
	output(t, "install", "-m", fmt.Sprintf("%o", mode), temp, path)
	require.NoError(t, os.Remove(temp))
}

// command is the script with its surroundings.
func (l *launch) command(t *testing.T) *exec.Cmd {
	t.Helper()
	script, err := filepath.Abs("../packaging/anc/provisioning-hotfix.sh")
	require.NoError(t, err)
	args := append(l.through[:len(l.through):len(l.through)], l.shell, script)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "PROVISIONING_HOTFIX_FEATURES="+filepath.Join(l.dir, "enabled_features.sh"),
		"PROVISIONING_HOTFIX_CHECK="+filepath.Join(l.dir, "check-hotfix"), "PROVISIONING_HOTFIX_AGENT="+filepath.Join(l.dir, "agent"))
	return cmd
}

// run runs the script, which has to exit with status 0, and returns what ran, in order, and what was said.
func (l *launch) run(t *testing.T) (ran, said string) {
	t.Helper()
	cmd := l.command(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	assert.Empty(t, out)
	return l.ran(t), stderr.String()
}

// ran is what ran, in order.
func (l *launch) ran(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(l.dir, "ran"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return strings.ReplaceAll(strings.TrimSpace(string(b)), "\n", ", ")
}

// shells are dash, which is /bin/sh of Debian and Ubuntu, and bash, which is that of Azure Linux.
var shells = []string{"/bin/dash", "/bin/bash"}

const bothRan = "check, agent download-hotfix"

func TestLauncherReadsFeatures(t *testing.T) {
	t.Parallel()
	const on = "ENABLE_PROVISIONING_HOTFIX=true"
	for name, c := range map[string]struct {
		features string
		on       bool
	}{
		"plain":                       {on, true},
		"line break":                  {on + "\n", true},
		"CRLF":                        {"A=1\r\n" + on + "\r\nB=2\r\n", true},
		"double quotes":               {`ENABLE_PROVISIONING_HOTFIX="true"` + "\n", true},
		"single quotes, CRLF":         {"ENABLE_PROVISIONING_HOTFIX='true'\r\n", true},
		"blanks around":               {" \t" + on + " \t\n", true},
		"comment behind":              {on + "  # since the canary\n", true},
		"export":                      {"export \t" + on + "\n", true},
		"others around":               {"#!/bin/bash\nA=x y\n\n=\n" + on + "\nENABLE_OTHER=false\n", true},
		"last one wins, on":           {"ENABLE_PROVISIONING_HOTFIX=false\n" + on, true},
		"last one wins, off":          {on + "\nexport ENABLE_PROVISIONING_HOTFIX='false'", false},
		"last one wins, empty":        {on + "\nENABLE_PROVISIONING_HOTFIX=\n", false},
		"last one wins, command":      {on + "\nENABLE_PROVISIONING_HOTFIX=$(touch pwned; echo true)\n", false},
		"comment":                     {"#" + on + "\n # " + on, false},
		"another name":                {"NOT_" + on + "\n" + on + "_NOT\nXENABLE_PROVISIONING_HOTFIXX=true", false},
		"false":                       {"ENABLE_PROVISIONING_HOTFIX=false", false},
		"True":                        {"ENABLE_PROVISIONING_HOTFIX=True", false},
		"1":                           {"ENABLE_PROVISIONING_HOTFIX=1", false},
		"blank before the value":      {"ENABLE_PROVISIONING_HOTFIX= true", false},
		"blank before the sign":       {"ENABLE_PROVISIONING_HOTFIX =true", false},
		"blank in quotes":             {`ENABLE_PROVISIONING_HOTFIX="true "`, false},
		"quotes that do not match":    {`ENABLE_PROVISIONING_HOTFIX="true'`, false},
		"quotes that do not end":      {`ENABLE_PROVISIONING_HOTFIX="true`, false},
		"no comment without a blank":  {on + "#x", false},
		"another command":             {on + "; touch pwned", false},
		"another command, and":        {on + " && touch pwned", false},
		"substitution":                {"ENABLE_PROVISIONING_HOTFIX=$(touch pwned)true\nB=`touch pwned`\n$(touch pwned)\n", false},
		"substitution beside":         {"A=$(touch pwned)\ntouch pwned\nexit 1\n" + on, true},
		"pattern":                     {"ENABLE_PROVISIONING_HOTFIX=tru?\n", false},
		"glob":                        {"ENABLE_PROVISIONING_HOTFIX=*", false},
		"variable":                    {"V=true\nENABLE_PROVISIONING_HOTFIX=$V", false},
		"value on the next line":      {"ENABLE_PROVISIONING_HOTFIX=\\\ntrue", false},
		"NUL in the value":            {"ENABLE_PROVISIONING_HOTFIX=tr\x00ue", false},
		"NUL beside":                  {"\x00\x00\n" + on + "\n\x00", true},
		"bytes that are no text":      {"\xff\xfe\x80=\xc3\x28\n" + on + "\n\xff", true},
		"byte order mark":             {"\ufeff" + on, false},
		"empty":                       {"", false},
		"64 KiB":                      {on + "\n" + strings.Repeat("x", 64<<10-len(on)-1), true},
		"more than 64 KiB":            {on + "\n" + strings.Repeat("x", 64<<10-len(on)), false},
		"8 MiB, off at the very end":  {on + "\n" + strings.Repeat("x=y\n", 2<<20) + "ENABLE_PROVISIONING_HOTFIX=false\n", false},
		"one long line":               {strings.Repeat("x", 50_000) + "\n" + on, true},
		"the sign again in the value": {"ENABLE_PROVISIONING_HOTFIX=x=true", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, shell := range shells {
				l := newLaunch(t, shell)
				l.write(t, "enabled_features.sh", c.features, 0o755)
				want := ""
				if c.on {
					want = bothRan
				}
				ran, said := l.run(t)
				assert.Equal(t, want, ran, shell)
				assert.Equal(t, !c.on, strings.Contains(said, "off: ENABLE_PROVISIONING_HOTFIX is not true in "), said)
				assert.NoFileExists(t, filepath.Join(l.dir, "pwned"), "%s ran what is in the file", shell)
			}
		})
	}
}

// What is no file that can be read switches nothing on, and nothing waits for it.
func TestLauncherWithoutFeatures(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(t *testing.T, l *launch, path string){
		"missing":       func(*testing.T, *launch, string) {},
		"a folder":      func(t *testing.T, _ *launch, path string) { require.NoError(t, os.Mkdir(path, 0o755)) },
		"a FIFO":        func(t *testing.T, _ *launch, path string) { require.NoError(t, unix.Mkfifo(path, 0o644)) },
		"a device":      func(t *testing.T, _ *launch, path string) { require.NoError(t, os.Symlink("/dev/zero", path)) },
		"a link's loop": func(t *testing.T, _ *launch, path string) { require.NoError(t, os.Symlink(path, path)) },
		"unreadable": func(t *testing.T, l *launch, path string) {
			require.NoError(t, os.WriteFile(path, []byte("ENABLE_PROVISIONING_HOTFIX=true"), 0o000))
			l.through = []string{installed(t, "setpriv"), "--bounding-set", "-dac_override,-dac_read_search"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, shell := range shells {
				l := newLaunch(t, shell)
				path := filepath.Join(l.dir, "enabled_features.sh")
				require.NoError(t, os.Remove(path))
				put(t, l, path)
				ran, said := l.run(t)
				assert.Empty(t, ran, shell)
				assert.Contains(t, said, "off: ")
			}
		})
	}
}

// Whatever becomes of check-hotfix, download-hotfix runs after it, and whatever becomes of either, the boot goes on.
func TestLauncherNeverFails(t *testing.T) {
	t.Parallel()
	const hang = "trap '' TERM\nwhile :; do sleep 1; done\n" // asked to end, it does not
	for name, c := range map[string]struct {
		check, agent string
		ran, said    string
	}{
		"both fail":          {recordsCheck + "exit 2\n", recordsAgent + "exit 3\n", bothRan, "status 2 of: "},
		"killed by a signal": {recordsCheck + "kill -SEGV $$\n", recordsAgent, bothRan, "status 139 of: "},
		"reads its input":    {"#!/bin/sh\ncat\necho check >>ran\n", recordsAgent, bothRan, ""},
		"no interpreter":     {"#!/nowhere\n", recordsAgent, "agent download-hotfix", "status "},
		"no programs":        {"", "", "", "not run, no program: "},
		"hangs":              {recordsCheck + hang, recordsAgent, bothRan, "status 137 of: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, shell := range shells {
				t.Run(filepath.Base(shell), func(t *testing.T) {
					t.Parallel()
					l := newLaunch(t, shell)
					for program, text := range map[string]string{"check-hotfix": c.check, "agent": c.agent} {
						if l.write(t, program, text, 0o755); text == "" {
							require.NoError(t, os.Chmod(filepath.Join(l.dir, program), 0o644))
						}
					}
					began := time.Now()
					ran, said := l.run(t)
					assert.Equal(t, c.ran, ran)
					assert.Contains(t, said, c.said)
					assert.Less(t, time.Since(began), 12*time.Second+8*slack)
				})
			}
		})
	}
}

// A log that nobody reads any more ends neither the script nor what it runs.
func TestLauncherWithoutReader(t *testing.T) {
	t.Parallel()
	for _, shell := range shells {
		l := newLaunch(t, shell)
		l.write(t, "check-hotfix", recordsCheck+"exit 3\n", 0o755)
		cmd := l.command(t)
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		cmd.Stdout, cmd.Stderr = w, w
		require.NoError(t, cmd.Run(), shell)
		require.NoError(t, w.Close())
		assert.Equal(t, bothRan, l.ran(t), shell)
	}
}

// A log that is full and never read costs a second a line, and a closed one nothing. Also the shell's own words on a program
// that crashed have to go somewhere.
func TestLauncherWithoutLog(t *testing.T) {
	t.Parallel()
	for _, shell := range shells {
		t.Run(filepath.Base(shell), func(t *testing.T) {
			t.Parallel()
			l := newLaunch(t, shell)
			l.write(t, "check-hotfix", recordsCheck+"kill -SEGV $$\n", 0o755)
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			defer w.Close()
			fd := int(w.Fd())
			require.NoError(t, unix.SetNonblock(fd, true))
			for err == nil {
				_, err = unix.Write(fd, make([]byte, 1<<10))
			}
			require.ErrorIs(t, err, unix.EAGAIN)
			require.NoError(t, unix.SetNonblock(fd, false))
			cmd := l.command(t)
			cmd.Stdout, cmd.Stderr = w, w
			began := time.Now()
			require.NoError(t, cmd.Run())
			assert.Equal(t, bothRan, l.ran(t))
			assert.Less(t, time.Since(began), 3*time.Second+8*slack)

			closed := newLaunch(t, shell)
			closed.through = []string{"/bin/sh", "-c", `exec "$@" 2>&- >&-`, "sh"}
			require.NoError(t, closed.command(t).Run())
			assert.Equal(t, bothRan, closed.ran(t))
		})
	}
}

// Without timeout(1) nothing would bound what is run, so nothing is.
func TestLauncherWithoutTimeout(t *testing.T) {
	t.Parallel()
	for _, shell := range shells {
		l := newLaunch(t, shell)
		l.through = []string{installed(t, "env"), "PATH=" + t.TempDir()}
		ran, said := l.run(t)
		assert.Empty(t, ran, shell)
		assert.Contains(t, said, "without timeout(1)", shell)
	}
}

// The real binary, with all that it needs missing: the agent runs after it.
func TestLauncherRunsTheBinary(t *testing.T) {
	t.Parallel()
	l := newLaunch(t, shells[0])
	l.through = []string{installed(t, "env"), "CHECK_HOTFIX_NODE_CONFIG=none", "CHECK_HOTFIX_NBC_CMD=none", "CHECK_HOTFIX_POINTER=pointer.json",
		"CHECK_HOTFIX_EVENTS_DIR=events", "CHECK_HOTFIX_IMDS_ENDPOINT=http://127.0.0.1:9"}
	l.write(t, "check-hotfix", "#!/bin/sh\nexec "+binary+" >result\n", 0o755)

	ran, said := l.run(t)

	assert.Equal(t, "agent download-hotfix", ran)
	assert.Contains(t, said, `"outcome":"failed"`)
	result, err := os.ReadFile(filepath.Join(l.dir, "result"))
	require.NoError(t, err)
	assert.Contains(t, string(result), "no pointer was staged")
}

// The shell scripts are clean, by the judgement of others.
func TestShellcheck(t *testing.T) {
	t.Parallel()
	assertNoComplaint(t, "shellcheck", "../packaging/dist.sh", "../packaging/anc/provisioning-hotfix.sh")
}
