package pointer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manyBases returns a map of n entries, 30 bytes each.
func manyBases(n int) map[string]string {
	m := make(map[string]string, n)
	for i := range n {
		base := fmt.Sprintf("%06d.%02d", i/100, i%100)
		m[base] = base + ".1"
	}
	return m
}

func documentOf(hotfixes map[string]string) []byte {
	d, err := readDocument([]byte("{}"))
	if err != nil {
		panic(err)
	}
	b, err := d.with(hotfixes)
	if err != nil {
		panic(err)
	}
	return b
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Not parallel: what other tests allocate would count.
func TestMemoryIsBounded(t *testing.T) {
	pad := func(b []byte) []byte { return append(b, strings.Repeat(" ", MaxSize-len(b))...) }
	entries := documentOf(manyBases(10_000))
	repeat := func(before, s, after string) []byte {
		return []byte(before + strings.Repeat(s, (MaxSize-len(before)-len(after))/len(s)) + after)
	}
	for name, tt := range map[string]struct {
		text []byte
		ok   bool
	}{
		"ten thousand bases":    {pad(entries), true},
		"nesting, open":         {repeat("", "[", ""), false},
		"nesting, objects":      {repeat("", `{"a":`, ""), false},
		"nesting in the map":    {repeat(`{"hotfixes":{"a":`, "[", ""), false},
		"unknown member, large": {repeat(`{"a":[`, "1,", "1]}"), true},
		"members of one name":   {repeat(`{`, `"":0,`, `"":0}`), false},
		"invalid entries":       {repeat(`{"hotfixes":{`, `"":0,`, `"a":0}}`), false},
		"one long string":       {repeat(`{"hotfixes":{"`, `\u0000`, `":""}}`), false},
	} {
		got := allocated(func() {
			_, warnings, err := Parse(tt.text)
			if tt.ok {
				assert.NoError(t, err, name)
			} else {
				assert.ErrorIs(t, err, ErrMalformed, name)
			}
			assert.LessOrEqual(t, len(warnings), maxWarnings+1, name)
		})
		t.Logf("%s: %d KiB", name, got>>10)
		assert.Less(t, got, uint64(64<<20), name)
	}

	files := map[string][]byte{
		"ten thousand bases": pad(entries), "nesting": repeat("", "[", ""), "members of one name": repeat(`{`, `"":0,`, `"":0}`),
	}
	for name, file := range files {
		got := allocated(func() {
			if d, err := readDocument(file); err == nil {
				_, err := d.with(union(d.hotfixes, manyBases(10_000)))
				require.NoError(t, err, name)
			}
		})
		t.Logf("file of %s: %d KiB", name, got>>10)
		assert.Less(t, got, uint64(64<<20), name)
	}
}
