package corpusgen_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/corpusgen"
)

// counts is what a check of a corpus should count.
type counts struct{ Files, Duplicates, Conflicts, Links, Tasks, Archived, Flawed, NotQuiet int }

func TestCorpusIsWhatItSays(t *testing.T) {
	for _, n := range []int{0, 1, 50, 1000, 5000} {
		c := corpusgen.Generate(n, 7)
		want := counts{
			n, n * 2 / 100, n * 3 / 100, c.Links, n * 3 / 100, n * 5 / 100, 0, 2 * (n*2/100 + n*3/100),
		}
		if n >= 1000 && c.Links < n/20 {
			t.Errorf("%d of %d files have links", c.Links, n)
		}
		if diff := cmp.Diff(want, count(c)); diff != "" {
			t.Errorf("%d files (-said +found):\n%s", n, diff)
		}
	}
}

func count(c *corpusgen.Corpus) counts {
	var files []*index.File
	for _, f := range c.Files {
		files = append(files, index.NewFile(f.Path, f.Bytes))
	}
	s := index.Build(files)
	got := counts{Files: s.Len()}
	for f := range s.All() {
		for g := range s.FrameHolders(f.FrameKey) {
			if f.Eligible() && g.Path != f.Path && g.Before(f) && g.FrameValue != f.FrameValue {
				got.Conflicts++
			}
		}
		for g := range s.Holders(f.ContentHash) {
			if f.Eligible() && g.Path != f.Path && g.Before(f) {
				got.Duplicates++
			}
		}
		got.Links += len(f.Links)
		got.Tasks += one(f.Type == "task")
		got.Archived += one(f.Archived())
		got.Flawed += one(f.Flawed)
		got.NotQuiet += one(!s.Quiet(f, "2026-02-01"))
	}
	return got
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func TestSameSeedSameBytes(t *testing.T) {
	a, b := corpusgen.Generate(300, 7), corpusgen.Generate(300, 7)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	if cmp.Equal(a.Files, corpusgen.Generate(300, 8).Files) {
		t.Error("another seed gives the same files")
	}
	size := 0
	for _, f := range a.Files {
		size += len(f.Bytes)
	}
	if mean := size / len(a.Files); mean < 900 || mean > 1300 {
		t.Errorf("a file has %d bytes on average, want about 1000", mean)
	}
}

func TestWrittenAndCommitted(t *testing.T) {
	dir := t.TempDir()
	c := corpusgen.Generate(60, 7)
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := corpusgen.Commit(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	got, err := index.Scan(t.Context(), dir, nil, nil)
	if err != nil || len(got.Rows) != 60 {
		t.Errorf("a scan finds %d files, %v; want 60", len(got.Rows), err)
	}
	out, err := exec.Command("git", "-C", dir, "ls-tree", "-r", "--name-only", "main").Output()
	if n := strings.Count(string(out), "\n"); err != nil || n != 60 {
		t.Errorf("the commit has %d files, %v; want 60", n, err)
	}
}
