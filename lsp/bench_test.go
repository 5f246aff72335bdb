package lsp_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/corpusgen"
	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// BenchmarkTyping measures the time from a keystroke that makes or ends a
// duplicate to the finding, among 20,000 memories and without the debounce, for a
// client that is pushed to and for one that pulls.
func BenchmarkTyping(b *testing.B) {
	b.Run("pushed", func(b *testing.B) { benchmarkTyping(b, fakeeditor.VSCode()) })
	b.Run("pulling", func(b *testing.B) { benchmarkTyping(b, fakeeditor.Pulling()) })
}

func benchmarkTyping(b *testing.B, capabilities fakeeditor.Object) {
	r := repo{b, b.TempDir()}
	if err := corpusgen.Generate(20_000, 1).Write(r.dir); err != nil {
		b.Fatal(err)
	}
	if err := corpusgen.Commit(context.Background(), r.dir); err != nil {
		b.Fatal(err)
	}
	started := time.Now()
	e := fakeeditor.Open(b, fakeeditor.Config{Folders: []string{r.dir}, Capabilities: capabilities},
		server(b, lsp.Options{Debounce: time.Nanosecond}))
	r.write(drain, memo("2026-01-02", claim))
	r.write(copied, memo("2026-02-03", "Something else"))
	e.Watched(1, r.path(drain), r.path(copied))
	e.Open(r.path(copied))
	e.WaitVersion(r.path(copied))
	first := time.Since(started)
	var took []time.Duration
	words := []string{"Something else", claim}
	b.ResetTimer()
	for i := range b.N {
		from, to := words[i%2], words[(i+1)%2]
		now := time.Now()
		e.Replace(r.path(copied), "<mark>"+from, "<mark>"+to)
		e.WaitVersion(r.path(copied))
		took = append(took, time.Since(now))
	}
	b.StopTimer()
	b.ReportMetric(first.Seconds(), "s/first")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	b.ReportMetric(float64(stats.HeapAlloc>>20), "MB/heap")
}
