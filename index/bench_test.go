package index

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/corpusgen"
)

// corpusSize is that of the budgets in the issue.
const corpusSize = 20_000

func benchCorpus(tb testing.TB, n int) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	if err := corpusgen.Generate(n, 7).Write(dir); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// fullBuild is a first start: scan, parse, snapshot, database.
func fullBuild(ctx context.Context, dir, db string) (*Snapshot, Scanned, error) {
	found, err := Scan(ctx, dir, nil, nil)
	if err != nil {
		return nil, found, err
	}
	s := Build(filesOf(found.Rows))
	handle, err := Open(ctx, db)
	if err != nil {
		return nil, found, err
	}
	defer handle.Close()
	return s, found, handle.Replace(ctx, slices.Values(found.Rows), Watermark{"x"})
}

func filesOf(rows []Row) []*File {
	files := make([]*File, len(rows))
	for i, r := range rows {
		files[i] = r.File
	}
	return files
}

// warmStart is any later start: load, stat, snapshot.
func warmStart(ctx context.Context, dir, db string) (*Snapshot, Scanned, error) {
	handle, err := Open(ctx, db)
	if err != nil {
		return nil, Scanned{}, err
	}
	defer handle.Close()
	known, _, err := handle.Load(ctx)
	if err != nil {
		return nil, Scanned{}, err
	}
	found, err := Scan(ctx, dir, known, nil)
	return Build(filesOf(found.Rows)), found, err
}

func BenchmarkFullBuild(b *testing.B) {
	dir := benchCorpus(b, corpusSize)
	for i := 0; b.Loop(); i++ {
		if _, _, err := fullBuild(b.Context(), dir, filepath.Join(b.TempDir(), fmt.Sprint(i, ".db"))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	dir := benchCorpus(b, corpusSize)
	for b.Loop() {
		if _, err := Scan(b.Context(), dir, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWarmStart(b *testing.B) {
	dir, db := benchCorpus(b, corpusSize), filepath.Join(b.TempDir(), "index.db")
	if _, _, err := fullBuild(b.Context(), dir, db); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, found, err := warmStart(b.Context(), dir, db); err != nil || len(found.Moved) > 0 {
			b.Fatal(len(found.Moved), err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	dir, path := benchCorpus(b, corpusSize), filepath.Join(b.TempDir(), "index.db")
	if _, _, err := fullBuild(b.Context(), dir, path); err != nil {
		b.Fatal(err)
	}
	db, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for b.Loop() {
		if _, _, err := db.Load(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReplace(b *testing.B) {
	found, err := Scan(b.Context(), benchCorpus(b, corpusSize), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	db, err := Open(b.Context(), filepath.Join(b.TempDir(), "index.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for b.Loop() {
		if err := db.Replace(b.Context(), slices.Values(found.Rows), Watermark{"x"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDatabaseApply writes one row of the corpus, as after a save.
func BenchmarkDatabaseApply(b *testing.B) {
	found, err := Scan(b.Context(), benchCorpus(b, corpusSize), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	db, err := Open(b.Context(), filepath.Join(b.TempDir(), "index.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.Replace(b.Context(), slices.Values(found.Rows), Watermark{"x"}); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		at := i * 7919 % len(found.Rows)
		if err := db.Apply(b.Context(), found.Rows[at:at+1], nil, Watermark{"x"}, Watermark{"x"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkApply changes one file of the corpus, and of one in which every
// file holds the same content.
func BenchmarkApply(b *testing.B) {
	found, err := Scan(b.Context(), benchCorpus(b, corpusSize), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	files := filesOf(found.Rows)
	b.Run("corpus", func(b *testing.B) { benchApply(b, files) })
	same := make([]*File, len(files))
	for i, f := range files {
		g := *f
		g.ContentHash, g.NormalHash, g.FrameKey, g.Accepted = files[0].ContentHash, files[0].NormalHash, "one frame of", true
		same[i] = &g
	}
	b.Run("all-same", func(b *testing.B) { benchApply(b, same) })
}

func benchApply(b *testing.B, files []*File) {
	s := Build(files)
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f := files[i*7919%len(files)]
		g := *f
		g.ContentHash[0]++
		g.Incoming = uint64(i%2) * uint64(i)
		start := time.Now()
		s = s.Apply(Delta{Open: map[string]*File{f.Path: &g}})
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
}

// BenchmarkMemory reports what a snapshot keeps, in bytes a file.
func BenchmarkMemory(b *testing.B) {
	dir := benchCorpus(b, corpusSize)
	for b.Loop() {
		before := heap()
		found, err := Scan(b.Context(), dir, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		s := Build(filesOf(found.Rows))
		found = Scanned{}
		b.ReportMetric(float64(heap()-before)/corpusSize, "bytes/file")
		runtime.KeepAlive(s)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
