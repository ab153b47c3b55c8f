//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/lpstest"
)

// Every fault of the help is run by a script, with the reason that the help says.
func TestEveryFaultHasAStory(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	var stories strings.Builder
	for _, script := range scripts {
		b, err := os.ReadFile(script)
		require.NoError(t, err)
		stories.Write(b)
	}
	for _, group := range faults() {
		for _, f := range group.faults {
			told := regexp.MustCompile(`(?m)^(\[linux\] )?fault '` + f.name + `( .*)?' \w+ ` + string(f.reason)).MatchString(stories.String())
			assert.True(t, told, "%s %s", f.name, f.reason)
		}
	}
}

// typed are all faults, as somebody might type them.
func typed(t *testing.T) []string {
	t.Helper()
	document := filepath.Join(t.TempDir(), "document.json")
	require.NoError(t, os.WriteFile(document, []byte("{}"), 0o600))
	arguments := map[string]string{"CODE [MESSAGE]": "unavailable", "FILE": document, "TEXT": "{}", "TIME": "1s", "STATUS": "500", "": ""}
	var lines []string
	for _, group := range faults() {
		for _, f := range group.faults {
			argument, ok := arguments[f.args]
			require.True(t, ok, f.args)
			lines = append(lines, f.name+" "+argument)
		}
	}
	return lines
}

// openSandbox opens a sandbox with that folder, until the test ends.
func openSandbox(t *testing.T, dir string) *sandbox {
	t.Helper()
	s, err := parseSettings([]string{"--dir", dir})
	require.NoError(t, err)
	box, err := open(s)
	require.NoError(t, err)
	t.Cleanup(box.close)
	return box
}

// Whatever is typed after whatever, the places stay the same, and nothing is left in the end: TestMain looks for goroutines.
func TestFaultsInARow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := openSandbox(t, dir)
	before, signature := box.commandLine(), box.signature
	var stdout, stderr bytes.Buffer
	c := console{box: box, stdout: &stdout, stderr: &stderr}
	for range 3 {
		for _, line := range typed(t) {
			assert.False(t, c.obey(line))
			assert.Contains(t, stdout.String(), strings.TrimSpace(line))
		}
	}
	assert.Empty(t, stderr.String())
	assert.Equal(t, before, box.commandLine())
	assert.Equal(t, signature, box.signature)
	c.obey("reset")
	assert.True(t, strings.HasSuffix(stdout.String(), "now: all is well\n"), stdout.String())
	assert.True(t, c.obey("quit"))
}

// A place that was lost to somebody else is complained about, and can be had back.
func TestPlaceLost(t *testing.T) {
	t.Parallel()
	box := openSandbox(t, t.TempDir())
	var stdout, stderr bytes.Buffer
	c := console{box: box, stdout: &stdout, stderr: &stderr}
	c.obey("down")
	var thief *peer
	// A process that another test is just starting has a copy of the closed listener until it runs its program.
	require.Eventually(t, func() bool {
		var err error
		thief, err = openMetadataAt(box.grpc.address)
		return err == nil
	}, 20*time.Second, time.Millisecond)
	c.obey("hang")
	assert.Regexp(t, `grpc: .*; reset tries again`, stderr.String())
	require.NoError(t, thief.Close())
	c.obey("reset")
	assert.True(t, strings.HasSuffix(stdout.String(), "now: all is well\n"), stdout.String())
}

func openMetadataAt(address string) (*peer, error) {
	p, _, err := openMetadata(address, "", identity{})
	return p, err
}

// Each request is told once, also when its peer is gone, and with what it was really answered.
func TestRequestsAreTold(t *testing.T) {
	t.Parallel()
	box := openSandbox(t, t.TempDir())
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: box.ca.Pool(), ServerName: lpstest.ServerName},
	}}
	get := func(url string) string {
		response, err := client.Get(url)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return strconv.Itoa(response.StatusCode)
	}
	var stdout, stderr bytes.Buffer
	c := console{box: box, stdout: &stdout, stderr: &stderr}

	answers := []string{get("https://" + box.https.address + "/v1/anc-hotfix"), get("https://" + box.https.address + "/other")}
	refused := get("http://" + box.metadata.address + "/metadata/instance")
	c.obey("hang")
	c.obey("metadata hang")
	c.tell()

	assert.Equal(t, []string{"200", "404"}, answers)
	assert.Equal(t, "400", refused)
	for _, line := range []string{
		`https     "GET" "/v1/anc-hotfix", no token: 200 {"hotfixes":{"202604.01":"202604.01.2"}}`,
		`https     "GET" "/other", no token: 404`,
		`metadata  "GET" "/metadata/instance": refused, as the real one would`,
	} {
		assert.Equal(t, 1, strings.Count(stdout.String(), line), "%s\n%s", line, stdout.String())
	}
}

// The last requests are kept, not all of them.
func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	box := openSandbox(t, t.TempDir())
	c := console{box: box, stdout: new(bytes.Buffer)}
	for range maxKept + 7 {
		box.grpc.last = append(box.grpc.last, sighting{text: "call"})
	}
	c.tell()
	c.tell()
	assert.Len(t, c.kept, maxKept)
}

// Clients choose some of the words in a line, and one of them could be the token.
func TestTheTokenIsRedacted(t *testing.T) {
	t.Parallel()
	box := openSandbox(t, t.TempDir())
	box.grpc.last = []sighting{{text: "asked for " + box.signature[100:164]}}
	news := box.news()
	require.Len(t, news, 1)
	assert.Contains(t, news[0], "asked for [redacted]")
}

// The folder and the config in it are those of a node, and a folder that is taken is not.
func TestNewNode(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"another node's": `{"api_server_config":{"api_server_name":"x"}}`, "no JSON": "{", "too large": strings.Repeat(" ", maxNodeConfig+1)} {
		dir := t.TempDir()
		config := filepath.Join(dir, "aks-node-controller-config.json")
		require.NoError(t, os.WriteFile(config, []byte(content), 0o600))
		_, err := newNode(dir, "202604.01.1")
		assert.Error(t, err, name)
		b, err := os.ReadFile(config)
		require.NoError(t, err)
		assert.Equal(t, content, string(b), name)
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", "plain", "/tmp/a-b_c.d:1+2", "two words", "it's", `"$HOME" \ *`, "`id`;", "line\nbreak", "~", "-n", "ü", "a=b", "{a,b}", "''"} {
		out, err := exec.Command("sh", "-c", "printf %s "+quote(word)).Output()
		require.NoError(t, err, word)
		assert.Equal(t, word, string(out))
	}
	assert.Equal(t, "/tmp/plain", quote("/tmp/plain"))
}

// A line that is too long is cut, and the next is whole. The end of a file or a pipe is no command.
func TestReadLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "stdin")
	require.NoError(t, os.WriteFile(path, []byte("state\r\n"+strings.Repeat("x", 3*maxLine)+"\nhelp"), 0o600))
	stdin, err := os.Open(path)
	require.NoError(t, err)
	defer stdin.Close()

	var lines []string
	for line := range readLines(context.Background(), stdin) {
		lines = append(lines, line)
	}

	require.Len(t, lines, 3)
	assert.Equal(t, "state", lines[0])
	assert.Len(t, lines[1], maxLine)
	assert.Equal(t, "help", lines[2])
}

func TestParseCode(t *testing.T) {
	t.Parallel()
	names := codeNames()
	assert.Len(t, names, 16)
	for _, name := range names {
		_, ok := parseCode(name)
		assert.True(t, ok, name)
	}
	for _, name := range []string{"", "ok", "14", "unavail"} {
		_, ok := parseCode(name)
		assert.False(t, ok, name)
	}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "{}", preview("{}"))
	for _, document := range []string{"", "two\nlines", "\x1b[31m", "\u202e", "\xff", strings.Repeat("x", 101)} {
		assert.Regexp(t, `^\(\d+ bytes\)$`, preview(document))
	}
}
