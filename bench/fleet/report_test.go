package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// played is a show whose trials are all alike.
func played() *results {
	rs := &results{settings: settings{nodes: 4, window: time.Second, herd: 4}, handshake: millisecond}
	for _, m := range modes() {
		s := known()
		s.mode = m
		rs.herds = append(rs.herds, s)
		s.workload.window = time.Second
		rs.windows = append(rs.windows, s)
	}
	return rs
}

func TestTables(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "| a | b |\n|---|---|\n| 1 | 2 |\n", table([]string{"a", "b"}, [][]string{{"1", "2"}}))
	for _, part := range played().sections() {
		columns := 0
		for line := range strings.Lines(part.text) {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			if columns == 0 {
				columns = strings.Count(line, "|")
			}
			assert.Equal(t, columns, strings.Count(line, "|"), "%s: %s", part.name, line)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{0: "0", 999.4: "999", 1000: "1,000", 1234567: "1,234,567"} {
		assert.Equal(t, want, whole(n))
	}
	for part, want := range map[float64]string{0: "0 %", 1: "100 %", 0.333: "33 %", 0.004: "0.4 %", 0.9993: "99.9 %"} {
		assert.Equal(t, want, percent(part))
	}
	assert.Equal(t, "1235 ms", ms(1234567*time.Microsecond))
	assert.Equal(t, "1.23 ms", exact(1234*time.Microsecond))
}

func TestWriteDocs(t *testing.T) {
	t.Parallel()
	dir, rs := t.TempDir(), played()
	page := "before\n"
	for _, part := range rs.sections() {
		page += "<!-- fleet: " + part.name + " -->\nold\n<!-- /fleet: " + part.name + " -->\nbetween\n"
	}
	path := filepath.Join(dir, "fleet.md")
	require.NoError(t, os.WriteFile(path, []byte(page), 0o644))

	require.NoError(t, rs.writeDocs(dir))

	first := files(t, dir)
	assert.NotContains(t, first["fleet.md"], "old")
	assert.True(t, strings.HasPrefix(first["fleet.md"], "before\n<!-- fleet: services -->\n| service |"))
	assert.Contains(t, first["fleet.md"], "<!-- fleet: conditions -->\n`fleet -nodes 4")
	assert.Equal(t, len(rs.sections()), strings.Count(first["fleet.md"], "between\n"))
	for _, name := range []string{"fleet/window.svg", "fleet/herd.svg", "fleet/outcome.svg"} {
		assertDrawing(t, first[name])
	}
	require.NoError(t, rs.writeDocs(dir))
	assert.Equal(t, first, files(t, dir), "the same figures make the same documents")
}

// A page without a marker stays as it is.
func TestWriteDocsWithoutMarker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.md"), []byte("mine\n"), 0o644))
	assert.ErrorContains(t, played().writeDocs(dir), "no marker")
	assert.Equal(t, map[string]string{"fleet.md": "mine\n"}, files(t, dir))
	_, err := replaceSection("<!-- fleet: x -->\nno end", section{name: "x"})
	assert.ErrorContains(t, err, "<!-- /fleet: x -->")
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	root := os.DirFS(dir)
	for _, pattern := range []string{"*.*", "*/*.*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, name := range names {
			relative, err := filepath.Rel(dir, name)
			require.NoError(t, err)
			f, err := root.Open(filepath.ToSlash(relative))
			require.NoError(t, err)
			content, err := io.ReadAll(f)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			found[filepath.ToSlash(relative)] = string(content)
		}
	}
	return found
}

// assertDrawing wants XML with the name of every mode.
func assertDrawing(t *testing.T, svg string) {
	t.Helper()
	for dec := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	for _, m := range modes() {
		assert.Contains(t, svg, ">"+m.name+"</text>")
	}
}
