package guestagent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/telemetry/guestagent"
)

// written returns the message as it stands in the file of an event.
func written(t *testing.T, message string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, newWriter(dir).Write(t.Context(), guestagent.Event{Message: message}))
	content, err := os.ReadFile(filepath.Join(dir, names(t, dir)[0]))
	require.NoError(t, err)
	assert.True(t, utf8.Valid(content))
	assert.Equal(t, 1, strings.Count(string(content), "\n"))
	var members map[string]string
	require.NoError(t, json.Unmarshal(content, &members))
	return members["Message"]
}

func TestMessage(t *testing.T) {
	t.Parallel()
	const times = " | startTime=2026-04-01 durationMs=507"
	room := guestagent.MaxMessage - len("…") - len(times)
	for name, tt := range map[string]struct{ message, want string }{
		"empty":                 {"", ""},
		"plain":                 {`outcome=lpsRead a<b & "c" \ é 日本`, `outcome=lpsRead a<b & "c" \ é 日本`},
		"line breaks":           {"a\nb\r\nc\u0085d\u2028e\u2029f\vg\fh", "a b  c d e f g h"},
		"control characters":    {"a\x00b\x1b[31mc\x7f\u202ed", "a b [31mc  d"},
		"not UTF-8":             {"a\xff\xfe\xc3(", "a\ufffd("},
		"as long as may be":     {strings.Repeat("x", guestagent.MaxMessage), strings.Repeat("x", guestagent.MaxMessage)},
		"too long by one":       {strings.Repeat("x", guestagent.MaxMessage+1), strings.Repeat("x", guestagent.MaxMessage-3) + "…"},
		"too long, times":       {strings.Repeat("x", 9000) + times, strings.Repeat("x", room) + "…" + times},
		"too long, more bars":   {strings.Repeat(" | ", 9000) + times, strings.Repeat(" | ", 9000)[:room] + "…" + times},
		"cut at a rune":         {strings.Repeat("é", 9000) + times, strings.Repeat("é", room/2) + "…" + times},
		"bar far from end":      {"a | " + strings.Repeat("x", 9000), "a | " + strings.Repeat("x", guestagent.MaxMessage-7) + "…"},
		"bar just too far":      {"abcd | " + strings.Repeat("x", guestagent.MaxMessage-5), "abcd | " + strings.Repeat("x", guestagent.MaxMessage-10) + "…"},
		"only the times fit":    {"abcd" + " | " + strings.Repeat("x", guestagent.MaxMessage-6), "… | " + strings.Repeat("x", guestagent.MaxMessage-6)},
		"grows when made valid": {strings.Repeat("\xffa", 2000), strings.Repeat("\ufffda", (guestagent.MaxMessage-3)/4) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := written(t, tt.message)
			require.Equal(t, tt.want, got)
			assert.LessOrEqual(t, len(got), guestagent.MaxMessage)
		})
	}
}

func FuzzMessage(f *testing.F) {
	f.Add("outcome=lpsRead | startTime=1", 1)
	f.Add("\xff\u2028 | ", 1000)
	f.Add("é", 1501)
	f.Fuzz(func(t *testing.T, piece string, times int) {
		if times < 0 || times > 5000 || times*len(piece) > 1<<16 {
			t.Skip()
		}
		got := written(t, strings.Repeat(piece, times))
		assert.True(t, utf8.ValidString(got))
		assert.LessOrEqual(t, len(got), guestagent.MaxMessage)
		assert.Equal(t, -1, strings.IndexFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }))
	})
}
