package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/corpusgen"
	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// BenchmarkColdBuild builds the index from the files alone, as a whole process,
// in turns with what it is held against: git status, a walk that reads and hashes
// the same files one after the other, and, where MEMHTML_NPM names the folder that
// scripts/memhtml-npm prints, the index rebuild of memhtml. Use -benchtime=3x.
func BenchmarkColdBuild(b *testing.B) {
	for _, n := range benchSizes(b, 1000, 5000, 20_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) { coldBuild(b, newSideBySideOf(b, withoutDuplicates(n))) })
	}
}

// withoutDuplicates is a corpus that memhtml can index.
func withoutDuplicates(n int) *corpusgen.Corpus {
	corpus, seen := corpusgen.Generate(n, 1), map[string]bool{}
	corpus.Files = slices.DeleteFunc(corpus.Files, func(f corpusgen.File) bool {
		_, article, _ := strings.Cut(string(f.Bytes), "<article>")
		again := seen[article]
		seen[article] = true
		return again
	})
	return corpus
}

func coldBuild(b *testing.B, s *sideBySide) {
	took := map[string][]float64{}
	for b.Loop() {
		if err := os.RemoveAll(s.state()); err != nil {
			b.Fatal(err)
		}
		took["ours"] = append(took["ours"], s.run(b, s.program, "rebuild"))
		took["hashing"] = append(took["hashing"], s.hash(b))
		took["git-status"] = append(took["git-status"], s.run(b, "git", "status", "--short"))
		if npm := os.Getenv("MEMHTML_NPM"); npm != "" {
			took["npm"] = append(took["npm"], s.run(b, filepath.Join(npm, "bin", "node"),
				filepath.Join(npm, "memhtml.mjs"), "index", "rebuild", "--no-embed", "--dense", "--repo", s.dir))
		}
	}
	for name, all := range took {
		b.ReportMetric(median(all), name+"-ms")
		if name != "ours" {
			b.ReportMetric(median(took["ours"])/median(all), "ours/"+name)
		}
	}
	info, err := os.Stat(filepath.Join(s.state(), "index.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/float64(len(s.memories)), "database-bytes/file")
}

// state is the folder of the index.
func (s *sideBySide) state() string { return filepath.Join(s.dir, ".git", "memhtml-ls") }

// hash walks, reads and hashes the files of the corpus, and returns how long that
// took, in milliseconds.
func (s *sideBySide) hash(b *testing.B) float64 {
	start := time.Now()
	for _, bucket := range memory.Buckets {
		err := filepath.WalkDir(filepath.Join(s.dir, bucket), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			sha256.Sum256(text)
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			b.Fatal(err)
		}
	}
	return float64(time.Since(start).Microseconds()) / 1000
}

// BenchmarkRestart starts the program as the server of an editor, with a database
// that is up to date, opens a memory that has a finding, waits until the files
// were looked at, and types in it. It reports the times from the start of the
// process, those of a key that makes or ends a duplicate, first while the findings
// of all other files are made (early) and then without anything else to do, and the
// memory that the process had at most and in the end. Use -benchtime=3x.
func BenchmarkRestart(b *testing.B) {
	for _, n := range benchSizes(b, 1000, 20_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) { restart(b, newSideBySide(b, n), min(1000, n/20)) })
	}
}

// keysTyped is how many keys are pressed at rest in one run.
const keysTyped = 400

// restart is one size of BenchmarkRestart, with so many files that show findings
// in the end.
func restart(b *testing.B, s *sideBySide, showing int) {
	var shown, verified, early, keys, peak, resident []float64
	for b.Loop() {
		server := exec.Command(s.program, "serve", "--stdio")
		server.Dir, server.Env, server.Stderr = s.dir, s.env, os.Stderr
		start := time.Now()
		e := attach(b, server, s.dir)
		path := filepath.Join(s.dir, typedIn)
		e.Open(path)
		e.WaitCodes(path, "duplicate")
		shown = append(shown, milliseconds(start))
		e.Wait("the end of the first index", func() bool {
			return slices.ContainsFunc(e.Seen("memhtml/status"), func(n fakeeditor.Notification) bool {
				return strings.Contains(string(n.Params), `"idle"`)
			})
		})
		verified = append(verified, milliseconds(start))
		early = append(early, typeIn(e, path, keysTyped/4)...)
		e.Wait("the findings of the other files", func() bool { return len(e.Shown()) >= showing })
		keys = append(keys, typeIn(e, path, keysTyped)...)
		peak = append(peak, megabytes(b, server.Process.Pid, "VmHWM"))
		resident = append(resident, megabytes(b, server.Process.Pid, "VmRSS"))
		e.Leave()
		if err := server.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(median(shown), "first-findings-ms")
	b.ReportMetric(median(verified), "verified-ms")
	b.ReportMetric(median(early), "early-key-p50-ms")
	b.ReportMetric(early[len(early)*99/100], "early-key-p99-ms")
	b.ReportMetric(median(keys), "key-p50-ms")
	b.ReportMetric(keys[len(keys)*99/100], "key-p99-ms")
	b.ReportMetric(slices.Max(peak), "peak-MB")
	b.ReportMetric(median(resident), "resident-MB")
}

// attach starts a server and greets it.
func attach(b *testing.B, server *exec.Cmd, dir string) *fakeeditor.Editor {
	in, err := server.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	e := fakeeditor.Attach(b, fakeeditor.Config{
		Folders: []string{dir}, Capabilities: fakeeditor.VSCode(), Patience: 5 * time.Minute,
		InitializationOptions: fakeeditor.Object{"memhtmlStatus": true, "diagnostics": fakeeditor.Object{"debounce": 0}},
	}, out, in)
	e.Initialize()
	return e
}

// typeIn presses an even number of keys that end a duplicate and make it again, and
// returns how long the findings of each took, in milliseconds.
func typeIn(e *fakeeditor.Editor, path string, n int) (took []float64) {
	words := []string{benchClaim, "Something else"}
	for i := range n {
		start := time.Now()
		e.Replace(path, "<mark>"+words[i%2], "<mark>"+words[(i+1)%2])
		e.WaitVersion(path)
		took = append(took, milliseconds(start))
	}
	return took
}

func milliseconds(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// megabytes is a line of a process's status as Linux tells it.
func megabytes(b *testing.B, pid int, field string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); words[0] == field+":" {
			kb, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	b.Fatalf("the process has no %s", field)
	return 0
}
