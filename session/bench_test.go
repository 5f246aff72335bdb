package session

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/corpusgen"
)

// size is the corpus the figures of the benchmarks are for.
const size = 20_000

func benchRoot(b *testing.B) *Root {
	b.Helper()
	dir := b.TempDir()
	if err := corpusgen.Generate(size, 1).Write(dir); err != nil {
		b.Fatal(err)
	}
	root, err := Open(context.Background(), dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { root.Close() })
	if err := root.Index(context.Background(), nil); err != nil {
		b.Fatal(err)
	}
	return root
}

// A keystroke: parse, snapshot, and the findings of every file it affects.
func BenchmarkKeystroke(b *testing.B) {
	root := benchRoot(b)
	var path string
	var text []byte
	for file := range root.View().Snapshot.All() {
		if root.View().Snapshot.Related(file) {
			path = file.Path
			break
		}
	}
	text, err := root.View().Text(path)
	if err != nil {
		b.Fatal(err)
	}
	root.Edit(Modification{Kind: Opened, Path: path, Text: text, Version: 1})
	at := bytes.Index(text, []byte("<mark>")) + len("<mark>")
	slowest := time.Duration(0)
	b.ResetTimer()
	for i := range b.N {
		typed := fmt.Appendf(nil, "%s%d%s", text[:at], i, text[at:])
		start := time.Now()
		change := root.Edit(Modification{Kind: Changed, Path: path, Text: typed, Version: int32(i + 2)})
		for _, affected := range change.Affected {
			if _, err := change.View.Report(affected); err != nil {
				b.Fatal(err)
			}
		}
		slowest = max(slowest, time.Since(start))
	}
	b.ReportMetric(float64(slowest.Microseconds()), "max-µs")
}

func BenchmarkCheck(b *testing.B) {
	root := benchRoot(b)
	for b.Loop() {
		if _, err := root.Check(context.Background(), CheckRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPollOfNothing(b *testing.B) {
	root := benchRoot(b)
	for b.Loop() {
		if _, err := root.Poll(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
