//go:build e2e

package e2e_test

import (
	"bytes"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/require"
)

// startTime is how long a peer may take to listen, on a machine that is busy with other tests.
const startTime = 15 * time.Second

// installed returns the path of a program of the system, and fails the test if it is not there.
func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil { // not every PATH has sbin
		path, err = exec.LookPath("/usr/sbin/" + name)
	}
	require.NoErrorf(t, err, "%s is missing: run e2e/install.sh", name)
	return path
}

// program is a peer that runs as a process of its own. It can be stopped and started again.
type program struct {
	path  string
	args  []string
	ready func() bool
	// outputPath is the file with all that the program printed.
	outputPath string

	cmd    *exec.Cmd
	exited chan struct{}
}

// startProgram starts a program and returns when it is ready. It is killed when the test ends.
func startProgram(t *testing.T, p *program) *program {
	t.Helper()
	p.outputPath = filepath.Join(t.TempDir(), "output")
	p.start(t)
	t.Cleanup(p.stop)
	return p
}

func (p *program) start(t *testing.T) {
	t.Helper()
	output, err := os.OpenFile(p.outputPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer output.Close()
	p.cmd = exec.Command(p.path, p.args...)
	p.cmd.Stdout, p.cmd.Stderr = output, output
	require.NoError(t, p.cmd.Start())
	p.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait()
		close(exited)
	}(p.cmd, p.exited)
	for giveUp := time.Now().Add(startTime); !p.ready(); time.Sleep(2 * time.Millisecond) {
		select {
		case <-p.exited:
			t.Fatalf("%s has ended: %s", p.path, p.output())
		default:
		}
		require.Truef(t, time.Now().Before(giveUp), "%s is not ready: %s", p.path, p.output())
	}
}

// stop kills the program as it is, and its connections with it.
func (p *program) stop() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

func (p *program) restart(t *testing.T) {
	t.Helper()
	p.stop()
	p.start(t)
}

func (p *program) output() []byte {
	b, err := os.ReadFile(p.outputPath)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}

// listening returns a condition: somebody accepts connections at addr.
func listening(addr string) func() bool {
	return func() bool {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
}

var takenPorts sync.Map

// freeAddress returns a free address of loopback that stays this test's own. It is below the range that Linux takes
// ports from by itself (from 32768 on, see ip(7)): nobody else gets it while a peer is stopped.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(20000+rand.IntN(12000)))
		if _, taken := takenPorts.LoadOrStore(addr, true); taken {
			continue
		}
		if !listening(addr)() {
			return addr
		}
	}
	t.Fatal("no free port")
	return ""
}

// writeConfig fills in a template of testdata and returns the path of the result, in a folder of its own.
func writeConfig(t *testing.T, name string, data any) string {
	t.Helper()
	text, err := template.ParseFiles(filepath.Join("testdata", name))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, text.Execute(&b, data))
	return writeFile(t, name, b.Bytes())
}

func writeFile(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}
