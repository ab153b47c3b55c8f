package guestagent_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/telemetry/guestagent"
	"github.com/bootpointer/bootpointer/transport"
)

// report reports r and returns the members of the event.
func report(t *testing.T, r bootpointer.Result) map[string]string {
	t.Helper()
	dir := t.TempDir()
	w, err := guestagent.New(dir)
	require.NoError(t, err)
	require.NoError(t, w.Report(t.Context(), r))
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	var event map[string]string
	require.NoError(t, json.Unmarshal(b, &event))
	return event
}

func TestReport(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 4, 1, 10, 0, 0, 123e6, time.UTC)

	event := report(t, bootpointer.Result{Outcome: bootpointer.OutcomeLPSRead, Source: "grpc", Code: "OK", Staged: true,
		Changed: true, CurrentVersion: "202604.01.0", ResolvedVersion: "202604.01.1", Start: start,
		Duration: 1500 * time.Millisecond, Attempts: []transport.Attempt{{Step: "grpc", Code: "OK"}}})

	assert.Equal(t, map[string]string{
		"Timestamp": "2026-04-01 10:00:00.123", "OperationId": "2026-04-01 10:00:01.623", "Version": "1.23",
		"TaskName": "AKS.AKSNodeController.CheckHotfix", "EventLevel": "Informational", "EventPid": "0", "EventTid": "0",
		"Message": "check-hotfix outcome=lpsRead source=grpc reason= code=OK attempts=1 staged=true changed=true " +
			"current=202604.01.0 resolved=202604.01.1 | startTime=2026-04-01 10:00:00.123 " +
			"endTime=2026-04-01 10:00:01.623 durationMs=1500",
	}, event)
}

func TestReportFailure(t *testing.T) {
	t.Parallel()
	event := report(t, bootpointer.Result{Outcome: bootpointer.OutcomeFailed, Reason: transport.ReasonStatus,
		Code: "Unavailable", Err: errors.New("first line\nsecond | line " + strings.Repeat("x", 5000))})

	assert.Equal(t, "Error", event["EventLevel"])
	assert.LessOrEqual(t, len(event["Message"]), guestagent.MaxMessage)
	assert.NotContains(t, event["Message"], "\n")
	assert.Contains(t, event["Message"], "outcome=failed source= reason=status code=Unavailable attempts=0")
	assert.Regexp(t, `… \| startTime=.* endTime=.* durationMs=0$`, event["Message"])
}

func TestReportFallbackSaysWhy(t *testing.T) {
	t.Parallel()
	event := report(t, bootpointer.Result{Outcome: bootpointer.OutcomeCustomDataFallback, Reason: transport.ReasonConnect,
		Attempts: []transport.Attempt{
			{Step: "grpc", Class: transport.FallbackEligible, Err: errors.New("connection refused")}, {Step: "fallback"}}})

	assert.Equal(t, "Informational", event["EventLevel"])
	assert.Contains(t, event["Message"], `reason=connect code= attempts=2`)
	assert.Contains(t, event["Message"], `error="grpc: connection refused"`)
}

func TestReportFieldsCannotBeForged(t *testing.T) {
	t.Parallel()
	event := report(t, bootpointer.Result{Outcome: bootpointer.OutcomeFailed, Code: "502\toutcome=lpsRead",
		CurrentVersion: "1 reason=x"})

	assert.Contains(t, event["Message"], `code="502\toutcome=lpsRead"`)
	assert.Contains(t, event["Message"], `current="1 reason=x"`)
}

// A host's own event writer gets what ours writes, fit to be written as it is.
func TestEventOf(t *testing.T) {
	t.Parallel()
	r := bootpointer.Result{Outcome: bootpointer.OutcomeFailed, Start: time.Date(2026, 4, 1, 10, 0, 0, 0, time.UTC),
		Duration: time.Second, Err: errors.New("first line\nsecond\xff " + strings.Repeat("x", 5000))}

	e := guestagent.EventOf(r)

	assert.Equal(t, report(t, r)["Message"], e.Message)
	assert.Len(t, e.Message, guestagent.MaxMessage)
	assert.Equal(t, guestagent.Error, e.Level)
	assert.Equal(t, time.Second, e.End.Sub(e.Start))
}
