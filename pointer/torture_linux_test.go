package pointer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// otherWriter is a second process that truncates and rewrites a file without a lock.
type otherWriter struct {
	t      *testing.T
	tell   func(line string)
	answer *bufio.Scanner
}

func startOtherWriter(t *testing.T, path string) *otherWriter {
	cmd := actor("write", path)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		assert.NoError(t, cmd.Wait())
	})
	return &otherWriter{t: t, answer: bufio.NewScanner(out), tell: func(line string) {
		_, err := fmt.Fprintln(in, line)
		assert.NoError(t, err)
	}}
}

// write has the file rewritten after a random time within d, and waits for the end of it.
func (w *otherWriter) write(text string, d time.Duration) {
	between := 0
	if rand.IntN(2) == 0 {
		between = rand.IntN(3000)
	}
	w.tell(fmt.Sprintf("%d %d %s", rand.Int64N(d.Microseconds()+1), between, text))
	assert.True(w.t, w.answer.Scan())
}

// stagedFile is the pointer file of these tests.
type stagedFile struct {
	Writer   int               `json:"writer"`
	Hotfixes map[string]string `json:"hotfixes"`
}

func readStaged(t *testing.T, path string) stagedFile {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var f stagedFile
	require.NoError(t, json.Unmarshal(b, &f), "%q", b)
	return f
}

// stageDuration is how long one Stage takes here, to aim the other process at it.
func stageDuration(t *testing.T, s *Stager) time.Duration {
	start := time.Now()
	for patch := range 10 {
		_, err := s.Stage(t.Context(), patchPointer(patch))
		require.NoError(t, err)
	}
	return time.Since(start) / 10
}

func TestTortureOtherWriter(t *testing.T) {
	t.Parallel()
	path := newFile(t, "{}")
	s := newTestStager(t, path)
	took := stageDuration(t, s)
	writer := startOtherWriter(t, path)
	n := rounds(t, 150)
	stagedMeanwhile, gaveUp := 0, 0
	for i := range n {
		var wg sync.WaitGroup
		wg.Go(func() { writer.write(fmt.Sprintf(`{"writer":%d}`, i), took) })
		_, err := s.Stage(t.Context(), patchPointer(i))
		wg.Wait()
		if err != nil {
			require.ErrorIs(t, err, errChanged)
			gaveUp++
		}
		f := readStaged(t, path)
		require.Equal(t, i, f.Writer, "the other writer's bytes were lost")
		if len(f.Hotfixes) > 0 {
			stagedMeanwhile++
		}
		if i%10 == 0 {
			_, err := s.Stage(t.Context(), patchPointer(i))
			require.NoError(t, err)
			assert.Equal(t, stagedFile{Writer: i, Hotfixes: patchPointer(i).Hotfixes}, readStaged(t, path))
			requireAlone(t, path)
		}
	}
	t.Logf("%d rewrites by another process, none lost; our map was in the file after %d of them, %d times we gave up",
		n, stagedMeanwhile, gaveUp)
}

func TestOtherWriterAndTwentyStagers(t *testing.T) {
	t.Parallel()
	path := newFile(t, "{}")
	writer := startOtherWriter(t, path)
	var stagers, writing sync.WaitGroup
	stop := make(chan struct{})
	last := 0
	writing.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
				writer.write(fmt.Sprintf(`{"writer":%d}`, i), 20*time.Millisecond)
				last = i
			}
		}
	})
	for i := range 20 {
		stagers.Go(func() {
			s := newTestStager(t, path)
			for patch := range 5 {
				if _, err := s.Merge(t.Context(), patchPointer(20*patch+i)); err != nil {
					assert.ErrorIs(t, err, errChanged)
				}
			}
		})
	}
	stagers.Wait()
	close(stop)
	writing.Wait()
	assert.Equal(t, last, readStaged(t, path).Writer)
	_, err := newTestStager(t, path).Stage(t.Context(), patchPointer(1000))
	require.NoError(t, err)
	assert.Equal(t, stagedFile{Writer: last, Hotfixes: patchPointer(1000).Hotfixes}, readStaged(t, path))
	requireAlone(t, path)
}

// TestTortureKill is S7.
func TestTortureKill(t *testing.T) {
	t.Parallel()
	const foreign = `{"version":"202604.01.5","n":9007199254740993`
	n := rounds(t, 60)
	path := newFile(t, foreign+"}")
	afterKill := map[string]int{}
	litter := 0
	for i := range n {
		// Before an operation half of the time, anywhere otherwise.
		suicide := 1 + rand.IntN(40)
		if i%2 == 0 {
			suicide = -1
		}
		cmd := actor("stage", path, fmt.Sprint(suicide))
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		require.True(t, bufio.NewScanner(out).Scan())
		if suicide < 0 {
			time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
			require.NoError(t, cmd.Process.Kill())
		}
		_ = cmd.Wait()
		require.Equal(t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())

		b, err := os.ReadFile(path)
		require.NoError(t, err)
		hotfixes, whole := strings.CutPrefix(string(b), foreign)
		require.True(t, whole, "%q", b)
		require.Contains(t, []string{"}", `,"hotfixes":{"202604.01":"202604.01.0"}}`, `,"hotfixes":{"202604.01":"202604.01.1"}}`,
			`,"hotfixes":{"202604.01":"202604.01.2"}}`}, hotfixes)
		afterKill[hotfixes]++
		entries, err := os.ReadDir(strings.TrimSuffix(path, "/hotfix.json"))
		require.NoError(t, err)
		litter += len(entries) - 1

		_, err = newTestStager(t, path).Stage(t.Context(), patchPointer(2))
		require.NoError(t, err)
		requireAlone(t, path)
	}
	t.Logf("%d processes killed, the file was whole each time; they left %d temporary files, the next run none; found %v", n, litter, afterKill)
}
