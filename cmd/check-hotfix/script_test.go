package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// frontHost is the API server's name in the node configs of the tests.
const frontHost = "cluster.hcp.region.example"

// binary is the program under test, built by TestMain.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "check-hotfix-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "check-hotfix")
		build := exec.Command("go", "build", "-race", "-ldflags", "-X main.version=202604.01.0", "-o", binary, ".")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// TestScripts runs the stories in testdata/script. Each has a live-patching service and a metadata service of its
// own, and the environment of a node that uses them. The commands beyond testscript's own are in scriptCommands.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUpNode,
		Cmds:                scriptCommands(),
	})
}

// node is what one script talks to.
type node struct {
	lps   *lpstest.Server
	https *lpstest.HTTPS
	imds  *imdstest.Server
	took  time.Duration // of the last run
}

type nodeKey struct{}

func setUpNode(env *testscript.Env) error {
	lps, err := lpstest.New()
	if err != nil {
		return err
	}
	env.Defer(func() { lps.Close() })
	https, err := lpstest.NewHTTPS(lpstest.WithCA(lps.CA()))
	if err != nil {
		return err
	}
	env.Defer(func() { https.Close() })
	metadata, err := imdstest.New()
	if err != nil {
		return err
	}
	env.Defer(func() { metadata.Close() })
	env.Values[nodeKey{}] = &node{lps: lps, https: https, imds: metadata}
	for name, value := range map[string]string{
		"CHECK_HOTFIX_NODE_CONFIG":   filepath.Join(env.WorkDir, "node.json"),
		"CHECK_HOTFIX_NBC_CMD":       filepath.Join(env.WorkDir, "nbc-cmd.sh"),
		"CHECK_HOTFIX_POINTER":       filepath.Join(env.WorkDir, "pointer.json"),
		"CHECK_HOTFIX_TARGET":        lps.Addr(),
		"CHECK_HOTFIX_IMDS_ENDPOINT": metadata.URL(),
		"CHECK_HOTFIX_EVENTS_DIR":    filepath.Join(env.WorkDir, "events"),
		"GORACE":                     "atexit_sleep_ms=0", // the race detector's own second would count as ours
	} {
		env.Setenv(name, value)
	}
	return writeNodeConfig(env.WorkDir, lps, "")
}

// writeNodeConfig writes the config of a node that trusts the service, with the embedded hotfixes if there are any.
func writeNodeConfig(dir string, lps *lpstest.Server, hotfixes string) error {
	config := map[string]any{
		"version":            "v1",
		"api_server_config":  map[string]string{"api_server_name": frontHost},
		"kubernetes_ca_cert": lps.CA().PEM(), // JSON has it in base64
	}
	if hotfixes != "" {
		config["hotfixes"] = json.RawMessage(hotfixes)
	}
	b, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "node.json"), b, 0o600)
}

func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"check-hotfix": checkHotfix,
		"probe":        probeOnNode,
		"serve":        serve,
		"status":       status,
		"stop-service": func(ts *testscript.TestScript, _ bool, _ []string) { nodeOf(ts).lps.Stop() },
		"calls":        calls,
		"https":        https,
		"requests":     requests,
		"metadata":     metadataStatus,
		"node-config":  nodeConfig,
		"nbc-cmd":      nbcCmd,
		"swallow":      swallow,
		"took":         took,
		"event":        event,
		"no-litter":    noLitter,
	}
}

func nodeOf(ts *testscript.TestScript) *node { return ts.Value(nodeKey{}).(*node) }

// check-hotfix [args]: runs the binary, with JSON output unless args say otherwise; JSON is held to the command's schema.
// It has to keep the token to itself and to exit with status 0; with a "!" in front of a command that may fail, with the
// status for failure or misuse.
func checkHotfix(ts *testscript.TestScript, neg bool, args []string) {
	n := nodeOf(ts)
	c, rest := findCommand(args)
	if c.bind != nil {
		rest = append([]string{"--output=json"}, rest...)
	}
	if c.name != "" {
		rest = append([]string{c.name}, rest...)
	}
	began := time.Now()
	err := ts.Exec(binary, rest...)
	n.took = time.Since(began)
	var exit *exec.ExitError
	switch {
	case !neg:
		ts.Check(err)
	case !errors.As(err, &exit) || exit.ExitCode() == 0 || exit.ExitCode() != c.failed && exit.ExitCode() != c.misused:
		ts.Fatalf("%v, want exit status %d or %d", err, c.failed, c.misused)
	}
	if printed := ts.ReadFile("stdout"); strings.HasPrefix(printed, "{") {
		ts.Check(checkJSON(c.name, printed))
	}
	refuseToken(ts)
}

// refuseToken fails the script if the token is on stdout, on stderr or in any file.
func refuseToken(ts *testscript.TestScript) {
	token := nodeOf(ts).imds.Signature()
	for _, stream := range []string{"stdout", "stderr"} {
		if leaks(ts.ReadFile(stream), token) {
			ts.Fatalf("the token is on %s", stream)
		}
	}
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && leaks(string(b), token) {
			err = fmt.Errorf("the token is in %s", path)
		}
		return err
	}))
}

// leaks reports whether text has any 40 characters of the token.
func leaks(text, token string) bool {
	const window = 40
	for i := 0; i+window <= len(token); i += window {
		if strings.Contains(text, token[i:i+window]) {
			return true
		}
	}
	return false
}

// serve TEXT | serve @FILE: what the service has for aksNodeController.
func serve(ts *testscript.TestScript, _ bool, args []string) {
	text := args[0]
	if file, ok := strings.CutPrefix(text, "@"); ok {
		text = ts.ReadFile(file)
	}
	n := nodeOf(ts)
	n.lps.Respond() // ends what status said
	n.lps.Serve("aksNodeController", text)
}

// status CODE [MESSAGE [then TEXT]]: the status the service answers with, every time or the first time before TEXT. With
// the message @token it echoes the token.
func status(ts *testscript.TestScript, _ bool, args []string) {
	var code codes.Code
	ts.Check(code.UnmarshalJSON([]byte(strconv.Quote(args[0]))))
	reply := lpstest.Reply{Code: code}
	if len(args) > 1 {
		reply.Message, reply.EchoToken = args[1], args[1] == "@token"
	}
	replies := []lpstest.Reply{reply}
	if len(args) == 4 && args[2] == "then" {
		replies = append(replies, lpstest.Reply{Config: args[3]})
	}
	nodeOf(ts).lps.Respond(replies...)
}

// calls N: how many calls have reached the service so far.
func calls(ts *testscript.TestScript, _ bool, args []string) {
	if got := len(nodeOf(ts).lps.Calls()); strconv.Itoa(got) != args[0] {
		ts.Fatalf("%d calls reached the service, want %s", got, args[0])
	}
}

// https STATUS [BODY]: the front serves the service over HTTPS instead, which answers with this status. With the body
// @token it echoes the token.
func https(ts *testscript.TestScript, _ bool, args []string) {
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	reply := lpstest.HTTPSReply{Status: code}
	if len(args) > 1 {
		reply.Body, reply.EchoToken = args[1], args[1] == "@token"
	}
	n := nodeOf(ts)
	n.https.Respond(reply)
	ts.Setenv("CHECK_HOTFIX_TARGET", n.https.Addr())
}

// requests N: how many requests for the document have reached the service over HTTPS so far.
func requests(ts *testscript.TestScript, _ bool, args []string) {
	got := 0
	for _, r := range nodeOf(ts).https.Requests() {
		if r.Path == lpstest.HTTPSPath {
			got++
		}
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("%d requests reached the service, want %s", got, args[0])
	}
}

// metadata STATUS: what the metadata service answers.
func metadataStatus(ts *testscript.TestScript, _ bool, args []string) {
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	nodeOf(ts).imds.Respond(imdstest.Status(code))
}

// node-config HOTFIXES: a node config with an embedded pointer.
func nodeConfig(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(writeNodeConfig(ts.Getenv("WORK"), nodeOf(ts).lps, args[0]))
}

// nbc-cmd: a node without node config that was set up by a shell command instead.
func nbcCmd(ts *testscript.TestScript, _ bool, _ []string) {
	var ca bytes.Buffer
	ca.WriteString("PATH=/usr/bin API_SERVER_NAME=" + frontHost + " KUBE_CA_CRT=\"")
	b, err := json.Marshal(nodeOf(ts).lps.CA().PEM())
	ts.Check(err)
	ca.Write(bytes.Trim(b, `"`))
	ca.WriteString("\" /usr/bin/nohup /bin/bash -c \"exit 1\"\n")
	ts.Check(os.Remove(ts.MkAbs("node.json")))
	ts.Check(os.WriteFile(ts.MkAbs("nbc-cmd.sh"), ca.Bytes(), 0o600))
}

// swallow: the front's address drops every packet.
func swallow(ts *testscript.TestScript, _ bool, _ []string) {
	peer, err := lpstest.NewSwallowing()
	ts.Check(err)
	ts.Defer(func() { peer.Close() })
	ts.Setenv("CHECK_HOTFIX_TARGET", peer.Addr())
}

// took LESS [MORE]: the last run took less than the first time, and more than the second.
func took(ts *testscript.TestScript, _ bool, args []string) {
	less, err := time.ParseDuration(args[0])
	ts.Check(err)
	more := time.Duration(0)
	if len(args) > 1 {
		more, err = time.ParseDuration(args[1])
		ts.Check(err)
	}
	if got := nodeOf(ts).took; got > less || got < more {
		ts.Fatalf("the run took %s, want %s to %s", got, more, less)
	}
}

// event TEXT...: one event was written, and its file has these texts. The event is removed.
func event(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob(ts.MkAbs("events/*.json"))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("%d events, want 1", len(files))
	}
	text := ts.ReadFile(files[0])
	for _, want := range args {
		if !strings.Contains(text, want) {
			ts.Fatalf("the event has no %q: %s", want, text)
		}
	}
	ts.Check(os.Remove(files[0]))
}

// no-litter: beside the pointer file lies nothing that the script did not put there.
func noLitter(ts *testscript.TestScript, _ bool, _ []string) {
	entries, err := os.ReadDir(ts.Getenv("WORK"))
	ts.Check(err)
	for _, e := range entries {
		if strings.Contains(e.Name(), "pointer.json") && e.Name() != "pointer.json" {
			ts.Fatalf("%s was left behind", e.Name())
		}
	}
}
