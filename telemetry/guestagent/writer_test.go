package guestagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bootpointer/bootpointer/telemetry/guestagent"
)

// eventsDir tells the test binary that it is one of many processes that write an event there.
const eventsDir = "BOOTPOINTER_TEST_EVENTS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(eventsDir); dir != "" {
		if err := newWriter(dir).Write(context.Background(), event); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var (
	end   = time.Date(2026, 4, 1, 12, 0, 0, 7_999_999, time.FixedZone("CEST", 2*3600))
	event = guestagent.Event{
		TaskName: "AKS.AKSNodeController.CheckHotfix",
		Level:    guestagent.Informational,
		Message:  "check-hotfix outcome=lpsRead source=<grpc> \"quoted\" | startTime=2026-04-01 09:59:59.500 endTime=2026-04-01 10:00:00.007 durationMs=507",
		Start:    end.Add(-507 * time.Millisecond),
		End:      end,
	}
)

// newWriter returns a writer whose clock stands still.
func newWriter(dir string) *guestagent.Writer {
	w, err := guestagent.New(dir, guestagent.WithClock(func() time.Time { return time.Unix(1775037600, 123456789) }))
	if err != nil {
		panic(err)
	}
	return w
}

// names returns what is in dir, hidden files included.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteGolden(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, newWriter(dir).Write(t.Context(), event))
	assert.Equal(t, []string{"1775037600123456789.json"}, names(t, dir))

	want, err := os.ReadFile("testdata/1775037600123456789.json")
	require.NoError(t, err)
	path := filepath.Join(dir, "1775037600123456789.json")
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

func TestWriteNamesFilesAfterTheTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := guestagent.New(dir)
	require.NoError(t, err)
	before := time.Now().UnixNano()
	require.NoError(t, w.Write(t.Context(), event))
	after := time.Now().UnixNano()
	var stamp int64
	_, err = fmt.Sscanf(names(t, dir)[0], "%d.json", &stamp)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, stamp, before)
	assert.LessOrEqual(t, stamp, after)
}

func TestWriteNeverReplaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken := filepath.Join(dir, "1775037600123456789.json")
	require.NoError(t, os.WriteFile(taken, []byte("other"), 0o600))
	dangling := filepath.Join(dir, "1775037600123456790.json")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), dangling); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	require.NoError(t, newWriter(dir).Write(t.Context(), event))
	assert.Equal(t, []string{"1775037600123456789.json", "1775037600123456790.json", "1775037600123456791.json"}, names(t, dir))
	got, err := os.ReadFile(taken)
	require.NoError(t, err)
	assert.Equal(t, "other", string(got))
}

func TestR5FiftyWritersInOneNanosecond(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	w := newWriter(dir)
	var writers sync.WaitGroup
	for range 50 {
		writers.Go(func() { assert.NoError(t, w.Write(t.Context(), event)) })
	}
	writers.Wait()
	assertEvents(t, dir, 50)
}

func TestR5FiftyProcessesInOneNanosecond(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "events")
	var processes []*exec.Cmd
	for range 50 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), eventsDir+"="+dir)
		cmd.Stderr = new(strings.Builder)
		require.NoError(t, cmd.Start())
		processes = append(processes, cmd)
	}
	for _, cmd := range processes {
		assert.NoError(t, cmd.Wait(), cmd.Stderr)
	}
	assertEvents(t, dir, 50)
}

func assertEvents(t *testing.T, dir string, n int) {
	t.Helper()
	files := names(t, dir)
	assert.Len(t, files, n)
	for _, name := range files {
		assert.Equal(t, ".json", filepath.Ext(name))
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		var members map[string]string
		require.NoError(t, json.Unmarshal(content, &members))
		assert.Equal(t, event.Message, members["Message"])
	}
}

func TestR5FolderThatCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	for _, dir := range []string{file, filepath.Join(file, "events"), "nul\x00"} {
		assert.ErrorContains(t, newWriter(dir).Write(t.Context(), event), "event is lost")
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(got))
}

func TestWriteDoesNotStartWhenCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newWriter(dir).Write(ctx, event), context.Canceled)
	assert.Empty(t, names(t, dir))
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	_, err := guestagent.New("")
	require.Error(t, err)
	_, err = guestagent.New("events", guestagent.WithClock(nil))
	require.Error(t, err)
}
