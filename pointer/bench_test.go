package pointer

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// perBases runs a benchmark at 1, 100 and 10,000 bases. What it reports per base shows whether the time is linear.
func perBases(b *testing.B, benchmark func(b *testing.B, hotfixes map[string]string)) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("bases=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			benchmark(b, manyBases(n))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/base")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	perBases(b, func(b *testing.B, hotfixes map[string]string) {
		text := documentOf(hotfixes)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, _, err := Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkMerge merges into a file of as many bases, of which every other is staged at a lower patch. It does all but
// write.
func BenchmarkMerge(b *testing.B) {
	perBases(b, func(b *testing.B, hotfixes map[string]string) {
		file := fileOf(b, hotfixes)
		s, err := NewStager(file, WithDryRun())
		require.NoError(b, err)
		higher := false
		for base := range hotfixes {
			if higher = !higher; higher {
				hotfixes[base] = base + ".2"
			}
		}
		for b.Loop() {
			changed, err := s.Merge(b.Context(), Pointer{Hotfixes: hotfixes})
			if err != nil || !changed {
				b.Fatal(changed, err)
			}
		}
	})
}

// BenchmarkStage replaces the file each time, with all its fsyncs.
func BenchmarkStage(b *testing.B) {
	perBases(b, func(b *testing.B, hotfixes map[string]string) {
		s, err := NewStager(fileOf(b, hotfixes))
		require.NoError(b, err)
		patch := 1
		for b.Loop() {
			patch++
			for base := range hotfixes {
				hotfixes[base] = fmt.Sprintf("%s.%d", base, patch)
				break
			}
			changed, err := s.Stage(b.Context(), Pointer{Hotfixes: hotfixes})
			if err != nil || !changed {
				b.Fatal(changed, err)
			}
		}
	})
}

// fileOf returns the path of a pointer file with these hotfixes.
func fileOf(b *testing.B, hotfixes map[string]string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "hotfix.json")
	require.NoError(b, os.WriteFile(path, documentOf(hotfixes), 0o600))
	return path
}
