package diagnostics

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

func TestSeverityOverrides(t *testing.T) {
	snap := corpusOf("areas/a.html text=x\nareas/b.html text=x unmerged\nareas/c.html text=x")
	d := memory.Parse([]byte("<title></title>"))
	in := Input{Snapshot: snap, File: snap.File("areas/c.html"), Document: d}
	in.Options.Severities = map[Code]Severity{Duplicate: Hint, TitleEmpty: Warning, MetaMissing: Off, ArticleCount: Error}
	var got []string
	for _, f := range Find(in) {
		got = append(got, fmt.Sprintf("%s %s", f.Code, f.Severity))
	}
	want := []string{"article-count error", "duplicate hint", "title-empty warning"}
	if diff := cmp.Diff(want, got, sorted); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

var sorted = cmp.Transformer("sorted", func(s []string) map[string]int {
	m := map[string]int{}
	for _, line := range s {
		m[line]++
	}
	return m
})

// A file outside any root has no corpus and so neither relations nor links
// that could be judged.
func TestWithoutSnapshot(t *testing.T) {
	d := memory.Parse([]byte(`<head><title>x</title><link rel="memhtml-supports" href="/areas/none.html"></head>`))
	f := parseFile("areas/a.html text=x")
	for _, found := range Find(Input{File: f, Document: d}) {
		if byCode()[found.Code].say == nil {
			t.Errorf("%s without a corpus", found.Code)
		}
	}
	if pairs := Pairs(nil, f); pairs != nil {
		t.Errorf("pairs without a corpus: %v", pairs)
	}
}

func TestUnmergedSuspendsRelations(t *testing.T) {
	const text = "<p>\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
	for _, tt := range []struct{ name, facts, text, message string }{
		{"markers", "", text, "This file has git's conflict markers in it. Settle the merge; until then it is compared with no other memory."},
		{"index", "unmerged", "<p>", "Git holds this file unmerged. Stage what shall stand; until then it is compared with no other memory."},
		{"both", "unmerged", text, "This file has git's conflict markers in it. Settle the merge; until then it is compared with no other memory."},
	} {
		snap := corpusOf("areas/a.html text=x\nareas/b.html text=x " + tt.facts)
		var got []string
		for _, f := range Find(Input{Snapshot: snap, File: snap.File("areas/b.html"), Document: memory.Parse([]byte(tt.text))}) {
			if byCode()[f.Code].say == nil {
				got = append(got, f.Message)
			}
		}
		if diff := cmp.Diff([]string{tt.message}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The file may be of another moment than the one of its path in the Snapshot.
func TestNoFileMatchesItself(t *testing.T) {
	snap := corpusOf("areas/a.html text=x frame=pool:1")
	for _, f := range []*index.File{
		parseFile("areas/a.html text=x frame=pool:1 incoming=1"),
		parseFile("areas/a.html text=y frame=pool:2 created=2026-02-01"),
		parseFile("areas/a.html text=x frame=pool:1 created=2020-01-01"),
	} {
		if got := Find(Input{Snapshot: snap, File: f, Options: Options{Mirror: MirrorHint}}); len(got) > 0 {
			t.Errorf("a file matches itself: %v", got)
		}
	}
}

func TestUnreadSaysWhy(t *testing.T) {
	for reason, want := range map[string]string{
		"too-large":   "Not checked and compared with nothing: it is larger than 8 MiB.",
		"unreadable":  "Not checked and compared with nothing: it cannot be read.",
		"not-regular": "Not checked and compared with nothing: it is not a regular file.",
		"on\x07fire":  `Not checked and compared with nothing: on\u{7}fire.`,
	} {
		got := Find(Input{Snapshot: index.New(), File: &index.File{Path: "areas/x.html", Unread: reason}})
		if len(got) != 1 || got[0].Message != want || got[0].Code != NotIndexed {
			t.Errorf("%q: %v, want %q", reason, got, want)
		}
	}
}

func TestContentHash(t *testing.T) {
	const head = `<head><meta name="memhtml-content-hash" content="%s"></head>%s`
	const article = "<article><p><mark>x</mark></p></article>"
	hash := memory.Parse([]byte(article)).ContentHash.String()
	for _, tt := range []struct {
		name, hash, body string
		stale            bool
	}{
		{"right", hash, article, false},
		{"right, without prefix", hash[len("sha256:"):], article, false},
		{"of another text", hash, "<article><p><mark>y</mark></p></article>", true},
		{"no hash at all", "md5:0", article, true},
		{"empty", "", article, false},
		{"no article to compare with", hash, "<p>y</p>", false},
		{"two articles", hash, article + article, false},
	} {
		d := memory.Parse(fmt.Appendf(nil, head, tt.hash, tt.body))
		stale := false
		for _, f := range Find(Input{File: parseFile("areas/a.html"), Document: d}) {
			stale = stale || f.Code == ContentHashStale
		}
		if stale != tt.stale {
			t.Errorf("%s: stale is %v", tt.name, stale)
		}
	}
}

// TestFindDoesNotGrowWithTheChain: the last file of a chain costs the same
// whether the chain is short or long, and whatever the size of the corpus.
func TestFindDoesNotGrowWithTheChain(t *testing.T) {
	cost := func(n int) float64 {
		snap, last := chain(n)
		return testing.AllocsPerRun(20, func() {
			if got := Find(Input{Snapshot: snap, File: last}); len(got) != 2 {
				t.Fatalf("%d findings in a chain of %d, want 2", len(got), n)
			}
		})
	}
	if short, long := cost(100), cost(20_000); long > short+8 {
		t.Errorf("%v allocations in a chain of 20000, %v in one of 100", long, short)
	}
}

// chain is a corpus of n files with one frame, every tenth of them a copy of
// one text, and its last file, which is such a copy.
func chain(n int) (*index.Snapshot, *index.File) {
	files := make([]*index.File, n)
	for i := range files {
		f := parseFile(fmt.Sprintf("areas/%05d.html frame=pool:%d", i, i))
		if (i+1)%10 == 0 {
			f = parseFile(fmt.Sprintf("areas/%05d.html text=copy frame=pool:c", i))
		}
		files[i] = f
	}
	return index.Build(files), files[n-1]
}

// BenchmarkFind reports on one file among 20,000: in no relation, last of a
// chain of 20,000 that share a frame and of 2,000 that share a text, and first
// of it with hints on.
func BenchmarkFind(b *testing.B) {
	snap, last := chain(20_000)
	first := snap.File("areas/00000.html")
	lone := parseFile("areas/zzzzz.html frame=other:1")
	alone := snap.Apply(index.Delta{Disk: map[string]*index.File{lone.Path: lone}})
	for _, bm := range []struct {
		name string
		in   Input
	}{
		{"lone", Input{Snapshot: alone, File: lone}},
		{"last of the chain", Input{Snapshot: snap, File: last}},
		{"first of the chain", Input{Snapshot: snap, File: first}},
		{"first of the chain with hints", Input{Snapshot: snap, File: first, Options: Options{Mirror: MirrorHint}}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Find(bm.in)
			}
		})
	}
}

// A file with conflict markers on disk is no incumbent either.
func TestMarkersSuspendTheOtherSide(t *testing.T) {
	entry, _ := Lookup(FrameKeyConflict)
	_, parts := split(entry.Example)
	torn := parts[0].text + "<<<<<<< ours\n=======\n>>>>>>> theirs\n"
	snap := index.Build([]*index.File{
		index.NewFile(parts[0].name, []byte(torn)),
		index.NewFile(parts[1].name, []byte(parts[1].text)),
	})
	if got := Find(Input{Snapshot: snap, File: snap.File(parts[1].name)}); len(got) > 0 {
		t.Errorf("compared with a file in the middle of a merge: %v", got)
	}
}
