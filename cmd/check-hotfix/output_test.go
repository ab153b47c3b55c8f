package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/transport"
)

// resultCases has a result for each outcome, and the text that people get.
var resultCases = map[string]struct {
	result bootpointer.Result
	dryRun bool
	text   string
}{
	"read": {result: bootpointer.Result{
		Outcome: bootpointer.OutcomeLPSRead, Source: "grpc", Staged: true, Changed: true, PointerPath: "/hotfix.json",
		CurrentVersion: "202604.01.0", ResolvedVersion: "202604.01.1", WouldUpgrade: true, Duration: 23 * time.Millisecond,
		Attempts: []transport.Attempt{{Step: "grpc", Code: "OK", Duration: 22 * time.Millisecond}},
	}, text: `
lpsRead: the service has hotfix 202604.01.1 for 202604.01.0
  grpc      answered                  22 ms
  pointer   /hotfix.json: changed
  next      download-hotfix installs 202604.01.1
  took      23 ms
`},
	"dry run": {dryRun: true, result: bootpointer.Result{
		Outcome: bootpointer.OutcomeLPSRead, Source: "grpc", Staged: true, Changed: true, PointerPath: "/hotfix.json",
		CurrentVersion: "202604.01.0", ResolvedVersion: "202604.01.1", WouldUpgrade: true, Duration: 23 * time.Millisecond,
		Attempts: []transport.Attempt{{Step: "grpc", Code: "OK", Duration: 22 * time.Millisecond}},
	}, text: `
lpsRead: the service has hotfix 202604.01.1 for 202604.01.0
  grpc      answered                  22 ms
  pointer   /hotfix.json: would be changed (dry run, nothing is written)
  next      download-hotfix would install 202604.01.1
  took      23 ms
`},
	"no upgrade": {result: bootpointer.Result{
		Outcome: bootpointer.OutcomeLPSRead, Source: "grpc", Staged: true, PointerPath: "/hotfix.json",
		CurrentVersion: "202604.01.1", ResolvedVersion: "202604.01.1", Duration: 23 * time.Millisecond,
		Attempts: []transport.Attempt{{Step: "grpc", Code: "OK", Duration: 22 * time.Millisecond}},
		Warnings: []string{`grpc: entry "x": left out`},
	}, text: `
lpsRead: the service has 202604.01.1, no upgrade for 202604.01.1
  grpc      answered                  22 ms
  warning   grpc: entry "x": left out
  pointer   /hotfix.json: unchanged, it said the same
  next      the boot goes on; download-hotfix has nothing to install
  took      23 ms
`},
	"no entry": {dryRun: true, result: bootpointer.Result{
		Outcome: bootpointer.OutcomeNoHotfixForBase, Source: "grpc", Staged: true, PointerPath: "/hotfix.json",
		CurrentVersion: "202607.15.0", Duration: 23 * time.Millisecond,
		Attempts: []transport.Attempt{{Step: "grpc", Code: "OK", Duration: 22 * time.Millisecond}},
	}, text: `
noHotfixForBase: the service has no hotfix for 202607.15.0
  grpc      answered                  22 ms
  pointer   /hotfix.json: would stay as it is, it says the same (dry run)
  next      the boot goes on; download-hotfix has nothing to install
  took      23 ms
`},
	"nothing published": {result: bootpointer.Result{
		Outcome: bootpointer.OutcomeNoHotfixAvailable, Source: "grpc", PointerPath: "/hotfix.json", CurrentVersion: "202604.01.0",
		Duration: 23 * time.Millisecond, Err: errors.New("grpc: status NotFound"),
		Attempts: []transport.Attempt{{Step: "grpc", Class: transport.Benign, Reason: transport.ReasonStatus, Code: "NotFound",
			Duration: 22 * time.Millisecond, Err: errors.New("status NotFound")}},
	}, text: `
noHotfixAvailable: nothing is published for this node
  grpc      nothing for this node     22 ms
            status: the service answered with a status
            status NotFound
  pointer   /hotfix.json: left as it was
  next      the boot goes on; what was staged before still counts. check-hotfix explain tells what that is
  took      23 ms
`},
	"fallback": {result: bootpointer.Result{
		Outcome: bootpointer.OutcomeCustomDataFallback, Source: "fallback", Staged: true, Changed: true, PointerPath: "/hotfix.json",
		CurrentVersion: "202604.01.0", ResolvedVersion: "202604.01.3", WouldUpgrade: true, Duration: 3012 * time.Millisecond,
		Attempts: []transport.Attempt{
			{Step: "grpc", Class: transport.FallbackEligible, Reason: transport.ReasonConnect, Duration: 3010 * time.Millisecond,
				Err: errors.New("dial 192.0.2.1:443: i/o timeout")},
			{Step: "fallback", Duration: time.Microsecond},
		},
	}, text: `
customDataFallback: no usable answer; with the node's own pointer merged in, the file has hotfix 202604.01.3 for 202604.01.0
  grpc      no usable answer         3.01 s
            connect: no connection, or lost before an answer
            dial 192.0.2.1:443: i/o timeout
  fallback  answered                   0 ms
  pointer   /hotfix.json: changed
  next      download-hotfix installs 202604.01.3
  took      3.01 s
`},
	"refused": {result: bootpointer.Result{
		Outcome: bootpointer.OutcomeFailed, Source: "grpc", PointerPath: "/hotfix.json", Duration: 23 * time.Millisecond,
		Err: errors.New("grpc: \x1b[31mbad"),
		Attempts: []transport.Attempt{{Step: "grpc", Class: transport.Authoritative, Reason: transport.ReasonMalformed, Code: "OK",
			Duration: 22 * time.Millisecond, Err: errors.New("\x1b[31mbad")}},
	}, text: `
failed: no pointer was staged, the boot goes on
  grpc      refused, no fallback      22 ms
            malformed: the service's answer cannot be used
            "\x1b[31mbad"
  pointer   /hotfix.json: left as it was
  next      the boot goes on; what was staged before still counts. check-hotfix probe finds the fault, check-hotfix explain tells what is staged
  took      23 ms
`},
	"disk full": {result: bootpointer.Result{
		Outcome: bootpointer.OutcomeFailed, Source: "grpc", PointerPath: "/hotfix.json", Duration: 23 * time.Millisecond,
		Err:      errors.New("stage: no space left on device"),
		Attempts: []transport.Attempt{{Step: "grpc", Code: "OK", Duration: 22 * time.Millisecond}},
	}, text: `
failed: no pointer was staged, the boot goes on
  grpc      answered                  22 ms
  error     stage: no space left on device
  pointer   /hotfix.json: left as it was
  next      the boot goes on; what was staged before still counts. check-hotfix probe finds the fault, check-hotfix explain tells what is staged
  took      23 ms
`},
}

// sgr is what colours text.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestResultText(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for name, tt := range resultCases {
		assert.Equal(t, strings.TrimPrefix(tt.text, "\n"), resultText(tt.result, tt.dryRun, terminal{}), name)
		shown[string(tt.result.Outcome)] = true
		onScreen := resultText(tt.result, tt.dryRun, terminal{colours: true, width: 60})
		assert.Contains(t, onScreen, "\x1b[1m", name)
		for line := range strings.SplitSeq(sgr.ReplaceAllString(onScreen, ""), "\n") {
			assert.LessOrEqual(t, len(line), 60, name)
		}
	}
	for _, outcome := range enumOf(t, "", "outcome") {
		assert.True(t, shown[outcome], outcome)
	}
}

// Every reason that the schema has is spelled out.
func TestReasonsAreSpelledOut(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(schemaPath(""))
	require.NoError(t, err)
	var schema struct {
		Defs struct {
			Attempt struct {
				Properties struct {
					Reason struct{ Enum []transport.Reason }
				}
			}
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(b, &schema))
	reasons := schema.Defs.Attempt.Properties.Reason.Enum
	require.Len(t, reasons, 18)
	for _, r := range reasons {
		assert.Equal(t, r != "", reasonWords(r) != "", r)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	const text = "a text of several words, one of them verylongandthatwithoutanyblank and on"
	assert.Equal(t, "a text of several\n  words, one of them\n  verylongandthatwithoutanyblank\n  and on", terminal{width: 22}.wrap(text, 2))
	assert.Equal(t, text, terminal{}.wrap(text, 2))
	assert.Equal(t, text, terminal{width: 21}.wrap(text, 2), "too narrow")
	assert.Equal(t, text, terminal{width: 200}.wrap(text, 2))
}

func TestPrintJSON(t *testing.T) {
	t.Parallel()
	const text = "é \x7f \u009b \u202e 日 😀 <&> \x1b \xff"
	var b bytes.Buffer
	require.NoError(t, printJSON(&b, text))
	assert.Equal(t, `"\u00e9 \u007f \u009b \u202e \u65e5 \ud83d\ude00 <&> \u001b \ufffd"`+"\n", b.String())
	var back string
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	assert.Equal(t, strings.ToValidUTF8(text, "\ufffd"), back)
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":          "",
		"/a b/é日":   "/a b/é日",
		"a\x1b[31m": `"a\x1b[31m"`,
		"a\nb":      `"a\nb"`,
		"a\u009b":   `"a\u009b"`,
		"a\u202e":   `"a\u202e"`,
		"a\xff":     `"a\xff"`,
	} {
		assert.Equal(t, want, printable(text))
	}
	assert.Equal(t, "ab…", cut("abé", 3))
	assert.Equal(t, "abé", cut("abé", 4))
	assert.Equal(t, `"\uff11"`, ascii("１"))
	assert.Equal(t, "ab…", ascii("ab…"))
}
