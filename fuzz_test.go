package bootpointer

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

// scriptedReply makes one fault, or an answer, out of a byte and a text.
func scriptedReply(kind byte, text string) transporttest.Reply {
	reasons := []transport.Reason{transport.ReasonDNS, transport.ReasonStatus, transport.ReasonCanceled, transport.ReasonNoPointer, ""}
	reason := reasons[int(kind/8)%len(reasons)]
	switch kind % 8 {
	case 0:
		return transporttest.Body(text)
	case 1:
		return transporttest.Failure(transport.FallbackEligible, reason)
	case 2:
		return transporttest.Failure(transport.Benign, reason)
	case 3:
		return transporttest.Failure(transport.Authoritative, reason)
	case 4:
		return transporttest.Reply{Err: errors.New(text)}
	case 5:
		return transporttest.Reply{Hang: true}
	case 6:
		return transporttest.Reply{Panic: text}
	default:
		return transporttest.Reply{Document: transport.Document{Component: text, Body: []byte(text)}}
	}
}

// FuzzCheck runs the whole checker through a random script of faults, over a random file that was there before. Whatever
// happens: one of the five outcomes, in time, and a file that is either what it was or one that can be read.
func FuzzCheck(f *testing.F) {
	f.Add([]byte{0, 0, 0}, served, inImage, `{"version":"202604.01.5","x":1}`, false)
	f.Add([]byte{1, 1, 0}, served, inImage, "", false)
	f.Add([]byte{2, 3, 0}, "{}", `{"hotfixes":{}}`, "not JSON", false)
	f.Add([]byte{5, 5, 5}, "", "", "[]", false)
	f.Add([]byte{6, 4, 6}, "boom", "bang", `{"hotfixes":{"202604.01":"202604.01.9"}}`, false)
	f.Add([]byte{7, 0, 0}, served, inImage, "\x00\x00", true)
	f.Fuzz(func(t *testing.T, script []byte, answer, embedded, before string, cancelled bool) {
		if len(script) < 3 {
			t.Skip()
		}
		// The bubble's clock makes waiting free: for a deadline, and for another writer to finish.
		synctest.Test(t, func(t *testing.T) { checkScripted(t, script, answer, embedded, before, cancelled) })
	})
}

func checkScripted(t *testing.T, script []byte, answer, embedded, before string, cancelled bool) {
	path := filepath.Join(t.TempDir(), "pointer.json")
	if before != "" {
		require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
	}
	stager, err := pointer.NewStager(path)
	require.NoError(t, err)
	steps := []transport.Step{
		{Name: "a", Transport: transporttest.NewFake(scriptedReply(script[0], answer))},
		{Name: "b", Transport: transporttest.NewFake(scriptedReply(script[1], answer))},
	}
	c, err := New(steps, stager, "202604.01.0",
		WithFallback(transporttest.NewFake(scriptedReply(script[2], embedded))))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if cancelled {
		cancel()
	}

	r := c.Check(ctx)

	staged := map[Outcome]bool{OutcomeLPSRead: true, OutcomeNoHotfixForBase: true, OutcomeCustomDataFallback: true,
		OutcomeNoHotfixAvailable: false, OutcomeFailed: false}
	want, known := staged[r.Outcome]
	assert.True(t, known, "%s", r.Outcome)
	assert.Equal(t, want, r.Staged)
	assert.Equal(t, !want, r.Err != nil)
	assert.LessOrEqual(t, r.Duration, DefaultTimeout+stagingTime+returnGrace)
	_, err = json.Marshal(r)
	require.NoError(t, err)
	after, err := os.ReadFile(path)
	if !r.Changed {
		assert.Equal(t, before, string(after))
		return
	}
	require.NoError(t, err)
	// What others wrote may be anything, a version that is none included; the map is ours.
	var members map[string]json.RawMessage
	var hotfixes map[string]string
	require.NoError(t, json.Unmarshal(after, &members), "%q", after)
	require.NoError(t, json.Unmarshal(members["hotfixes"], &hotfixes), "%q", after)
	assert.NotEmpty(t, hotfixes)
}
