package diagnostics

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// TestOnlyNeighboursChange edits random corpora file by file. The findings of a
// file may change only if it was edited or is a neighbour of what was edited,
// and a quiet file has none: this is what lets a server recompute a handful of
// files after a keystroke.
func TestOnlyNeighboursChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := world{snap: index.New(), docs: map[string]*memory.Document{}}
		told := map[string][]Finding{}
		for range rapid.IntRange(1, 14).Draw(t, "edits") {
			path := rapid.SampledFrom(places).Draw(t, "path")
			allowed := c.edit(t, path)
			now := c.findings(t)
			for path := range c.docs {
				if diff := cmp.Diff(told[path], now[path]); diff != "" && !allowed[path] {
					t.Fatalf("the findings of %s changed, which is no neighbour (-before +after):\n%s", path, diff)
				}
			}
			told = now
		}
	})
}

// world is a corpus under random edits.
type world struct {
	snap *index.Snapshot
	docs map[string]*memory.Document
}

var places = []string{
	"areas/a.html", "areas/b.html", "areas/c.html", "areas/d.html",
	"archive/2025/areas/a.html", "archive/2026/areas/a.html", "archive/2026/areas/b.html",
}

// edit writes or deletes a file and returns which files may notice.
func (c *world) edit(t *rapid.T, path string) map[string]bool {
	before := c.snap.File(path)
	var after *index.File
	delete(c.docs, path)
	if rapid.IntRange(0, 4).Draw(t, "gone") > 0 {
		d := memory.Parse([]byte(randomMemory(t)))
		after = index.FromDocument(path, d)
		after.Tracked = rapid.Bool().Draw(t, "tracked")
		after.Unmerged = rapid.IntRange(0, 7).Draw(t, "unmerged") == 0
		after.Incoming = uint64(rapid.IntRange(0, 2).Draw(t, "incoming"))
		c.docs[path] = d
	}
	c.snap = c.snap.Apply(index.Delta{Disk: map[string]*index.File{path: after}})
	allowed := map[string]bool{path: true}
	for _, f := range []*index.File{before, after} {
		if f == nil {
			continue
		}
		for neighbour := range c.snap.Neighbours(f) {
			allowed[neighbour] = true
		}
	}
	next, changed, err := c.snap.CompareClaims(context.Background(), nil, index.Work{})
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range changed {
		for f := range next.ClaimHolders(claim) {
			allowed[f.Path] = true
		}
	}
	c.snap = next
	return allowed
}

func (c *world) findings(t *rapid.T) map[string][]Finding {
	all := map[string][]Finding{}
	for f := range c.snap.All() {
		// The place of a claim in another file moves with that file, so that it
		// is part of what may change.
		all[f.Path] = Find(Input{
			Snapshot: c.snap, File: f, Document: c.docs[f.Path], Claim: claims(c.docs), Today: today, Options: Options{Mirror: MirrorHint},
		})
		if c.snap.Quiet(f, today) && len(all[f.Path]) > 0 {
			t.Fatalf("%s is quiet and has findings: %v", f.Path, all[f.Path])
		}
	}
	return all
}

// today lies among the dates of random memories.
const today = "2026-02-05"

func meta(name, value string) string {
	return fmt.Sprintf(`<meta name="memhtml-%s" content="%s">`, name, value)
}

func randomMemory(t *rapid.T) string {
	claim := rapid.SampledFrom([]string{
		"The pool size is 64", "The pool size is 64.", "The pool size is\u00a064", "The pool size is 128",
		"The pool\nsize is 64", "Drain first", "", "the pool's size is sixty-four", "The pool size is not 64", "The pool's size may be 64",
	}).Draw(t, "claim")
	kind := rapid.SampledFrom([]string{"semantic", "semantic", "episodic", "task"}).Draw(t, "kind")
	head := fmt.Sprintf(`<title>x</title><meta name="memhtml-type" content="%s"><meta name="memhtml-status" content="%s">`+
		`<meta name="memhtml-created" content="2026-01-0%d"><meta name="memhtml-updated" content="2026-01-09">`,
		kind, rapid.SampledFrom([]string{"active", "archived"}).Draw(t, "status"), rapid.IntRange(1, 2).Draw(t, "day"))
	if kind == "task" {
		head += meta("task-status", rapid.SampledFrom([]string{"todo", "blocked", "done"}).Draw(t, "task status"))
	}
	for _, name := range []string{"due", "valid-from", "valid-until"} {
		if date := rapid.SampledFrom([]string{"", "", "2026-01-05", today, "2026-03-05"}).Draw(t, name); date != "" {
			head += meta(name, date)
		}
	}
	if winner := rapid.SampledFrom(append([]string{"", "", ""}, places...)).Draw(t, "winner"); winner != "" {
		head += meta("superseded-by", "/"+winner)
	}
	for range rapid.IntRange(0, 2).Draw(t, "links") {
		rel := rapid.SampledFrom([]string{"contradicts", "about-person", "supersedes", "supersedes", "blocks"}).Draw(t, "rel")
		head += fmt.Sprintf(`<link rel="memhtml-%s" href="/%s">`, rel, rapid.SampledFrom(places).Draw(t, "target"))
	}
	body := rapid.SampledFrom([]string{"", " More.", "<pre>x</pre>", "\n<<<<<<< a\n=======\n>>>>>>> b\n"}).Draw(t, "body")
	return "<head>" + head + "</head><body><article><p><mark>" + claim + "</mark>" + body + "</p></article>"
}
