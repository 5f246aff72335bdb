package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/corpusgen"
)

// benchSizes are the numbers of memories of a benchmark: those that it has by
// itself, or those of MEMHTML_BENCH_FILES, a list with commas. The promises go up
// to 100,000, which takes minutes to make.
func benchSizes(b *testing.B, usual ...int) []int {
	text := os.Getenv("MEMHTML_BENCH_FILES")
	if text == "" {
		return usual
	}
	var sizes []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// sideBySide is a packed corpus, the program as people run it, and the git
// commands that a person would type in its place.
type sideBySide struct {
	dir     string
	program string
	env     []string
	// memories are those that nothing has been done to yet.
	memories []string
}

// typedIn is a memory that says the same as another one.
const (
	typedIn    = "areas/bench/second.html"
	benchClaim = "The bench says the same thing twice."
)

// BenchmarkBesideGit runs whole processes in turns, ours and git's, in one
// repository, so that both meet the same machine. Its figures are medians, and
// the ratio is the median of the rounds'. Use -benchtime=30x.
func BenchmarkBesideGit(b *testing.B) {
	for _, n := range benchSizes(b, 20_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) { besideGit(b, newSideBySide(b, n)) })
	}
}

func besideGit(b *testing.B, s *sideBySide) {
	round := 0
	b.Run("archive", func(b *testing.B) {
		s.rounds(b, func() []string { return []string{"archive", s.next()} }, func() gitChange {
			from := s.next()
			return gitChange{from: from, to: "archive/2026/" + from}
		})
	})
	b.Run("write", func(b *testing.B) {
		s.rounds(b, func() []string {
			round++
			title, claim := fmt.Sprint("Bench ", round), fmt.Sprintf("The measured fact of the bench is %d.", round)
			return []string{"write", "--type", "semantic", "--title", title, "--claim", claim}
		}, func() gitChange { return gitChange{made: fmt.Sprintf("resources/bench/written-%d.html", round)} })
	})
	b.Run("correct", func(b *testing.B) {
		s.rounds(b, func() []string {
			round++
			return []string{"correct", s.next(), "--claim", fmt.Sprintf("The mended fact of the bench is %d.", round)}
		}, func() gitChange {
			from := s.next()
			return gitChange{from: from, to: "archive/2026/" + from, made: fmt.Sprintf("resources/bench/mended-%d.html", round)}
		})
	})
}

// newSideBySide makes the corpus of n memories, and of two that say the same.
func newSideBySide(b *testing.B, n int) *sideBySide {
	corpus := corpusgen.Generate(n, 1)
	corpus.Files = append(corpus.Files,
		corpusgen.File{Path: typedIn, Bytes: []byte(memoryText(benchClaim, "2026-02-03"))},
		corpusgen.File{Path: "areas/bench/first.html", Bytes: []byte(memoryText(benchClaim, "2026-01-02"))})
	return newSideBySideOf(b, corpus)
}

// newSideBySideOf makes a packed repository of a corpus, with an index that is up
// to date.
func newSideBySideOf(b *testing.B, corpus *corpusgen.Corpus) *sideBySide {
	// Git tidies up in the background, beside what is measured, unless told not to.
	b.Setenv("GIT_CONFIG_COUNT", "1")
	b.Setenv("GIT_CONFIG_KEY_0", "gc.auto")
	b.Setenv("GIT_CONFIG_VALUE_0", "0")
	work := b.TempDir()
	s := &sideBySide{dir: filepath.Join(work, "corpus"), program: filepath.Join(work, "memhtml-ls")}
	s.env = append(os.Environ(), hermetic(work)...)
	made := *s
	made.dir = filepath.Join(work, "made")
	if err := corpus.Write(made.dir); err != nil {
		b.Fatal(err)
	}
	if err := corpusgen.Commit(context.Background(), made.dir); err != nil {
		b.Fatal(err)
	}
	made.run(b, "git", "gc", "-q")
	// To pack an object deletes a file, and ext4 takes five times as long for a
	// new file where thousands were deleted in the last five minutes: nobody's
	// repository is like that. A clone has the pack and nothing deleted.
	made.run(b, "git", "clone", "-q", "--no-hardlinks", ".", s.dir)
	s.run(b, "git", "status")
	build := exec.Command("go", "build", "-o", s.program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	s.run(b, s.program, "rebuild")
	for _, f := range corpus.Files {
		if !strings.HasPrefix(f.Path, "archive/") && !strings.Contains(f.Path, "/tasks/") {
			s.memories = append(s.memories, f.Path)
		}
	}
	return s
}

func (s *sideBySide) next() string {
	path := s.memories[0]
	s.memories = s.memories[1:]
	return path
}

// gitChange is what a person does with git in place of a command of ours: a
// memory moved and edited, a memory made, or both.
type gitChange struct{ from, to, made string }

// script is the change as a person types it.
func (c gitChange) script() string {
	sh := "set -e\n"
	if c.from != "" {
		sh += fmt.Sprintf("mkdir -p '%[1]s'\ngit mv '%[2]s' '%[3]s'\necho '<!-- -->' >>'%[3]s'\ngit add '%[3]s'\n", filepath.Dir(c.to), c.from, c.to)
	}
	if c.made != "" {
		sh += fmt.Sprintf("mkdir -p '%[1]s'\necho '<p>%[2]s' >'%[2]s'\ngit add '%[2]s'\n", filepath.Dir(c.made), c.made)
	}
	sh += "git commit -q -m bench --only"
	for _, path := range []string{c.from, c.to, c.made} {
		if path != "" {
			sh += " '" + path + "'"
		}
	}
	return sh
}

// rounds runs ours and git's in turns.
func (s *sideBySide) rounds(b *testing.B, ours func() []string, gits func() gitChange) {
	var mine, theirs, ratios []float64
	for b.Loop() {
		m := s.run(b, s.program, ours()...)
		g := s.run(b, "sh", "-c", gits().script())
		mine, theirs, ratios = append(mine, m), append(theirs, g), append(ratios, m/g)
	}
	b.ReportMetric(median(mine), "ours-ms")
	b.ReportMetric(median(theirs), "git-ms")
	b.ReportMetric(median(ratios), "ratio")
}

// run returns how long a whole process took, in milliseconds.
func (s *sideBySide) run(b *testing.B, name string, args ...string) float64 {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		b.Fatalf("%s %v: %v: %s", filepath.Base(name), args, err, out)
	}
	return float64(took.Microseconds()) / 1000
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
