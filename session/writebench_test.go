package session

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/corpusgen"
)

// largest is the corpus that a write is measured in; set MEMHTML_BENCH_FILES for
// another one.
func largest(b *testing.B) int {
	text := os.Getenv("MEMHTML_BENCH_FILES")
	if text == "" {
		return size
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// benchRepository is a committed corpus whose database a server has filled.
func benchRepository(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	if err := corpusgen.Generate(largest(b), 1).Write(dir); err != nil {
		b.Fatal(err)
	}
	if err := corpusgen.Commit(context.Background(), dir); err != nil {
		b.Fatal(err)
	}
	root, err := Open(context.Background(), dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := root.Index(context.Background(), nil); err != nil {
		b.Fatal(err)
	}
	if err := root.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkCommandLine has what a process does for one command, from opening the
// root to closing it.
func BenchmarkCommandLine(b *testing.B) {
	dir := benchRepository(b)
	n := 0
	process := func(b *testing.B, run func(*Root) error) time.Duration {
		start := time.Now()
		root, err := Open(context.Background(), dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := run(root); err != nil {
			b.Fatal(err)
		}
		if err := root.Close(); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	command := func(b *testing.B, run func(*Root) error) {
		for b.Loop() {
			process(b, run)
		}
	}
	next := func() WriteRequest {
		n++
		return fact(fmt.Sprint("A written memory ", n), fmt.Sprintf("The measured fact of the run is %d", n))
	}
	b.Run("write", func(b *testing.B) {
		command(b, func(root *Root) error {
			_, err := root.Write(context.Background(), next())
			return err
		})
	})
	b.Run("refused", func(b *testing.B) {
		again := fact("Again", fmt.Sprintf("The measured fact of the run is %d", n))
		command(b, func(root *Root) error {
			_, err := root.Write(context.Background(), again)
			return err
		})
	})
	apply := func(b *testing.B, operations int) float64 {
		took := process(b, func(root *Root) error {
			request := ApplyRequest{DetectConflicts: true}
			for range operations {
				request.Operations = append(request.Operations, WriteOperation{WriteRequest: next()})
			}
			_, err := root.Apply(context.Background(), request)
			return err
		})
		return float64(took.Microseconds()) / 1000
	}
	// A batch of a thousand, and one operation beside it each time.
	b.Run("apply", func(b *testing.B) {
		var one, thousand, times []float64
		for b.Loop() {
			o, t := apply(b, 1), apply(b, 1000)
			one, thousand, times = append(one, o), append(thousand, t), append(times, t/o)
		}
		b.ReportMetric(median(one), "one-ms")
		b.ReportMetric(median(thousand), "thousand-ms")
		b.ReportMetric(median(times), "times-one")
	})
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
