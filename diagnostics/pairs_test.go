package diagnostics

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// TestPairsKeepTheRules checks on random small corpora what the table of rules
// says case by case, by looking at every two files.
func TestPairsKeepTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := randomFiles(t)
		snap := index.Build(files)
		reported := map[string]Pair{}
		sides := map[string]int{}
		for _, f := range files {
			for _, p := range Pairs(snap, f) {
				key := p.Reporter.Path + " " + p.Incumbent.Path
				if before, ok := reported[key]; ok && before.Code != p.Code {
					t.Fatalf("%s is both %s and %s", key, before.Code, p.Code)
				}
				reported[key] = p
				sides[key]++
				checkPair(t, p)
			}
		}
		for key, n := range sides {
			if n != 2 {
				t.Fatalf("%s is told from %d sides", key, n)
			}
		}
		for _, f := range files {
			for _, g := range files {
				checkToldOf(t, files, reported, f, g)
			}
		}
	})
}

func randomFiles(t *rapid.T) []*index.File {
	n := rapid.IntRange(2, 9).Draw(t, "files")
	files := make([]*index.File, n)
	for i := range files {
		text := rapid.IntRange(0, 4).Draw(t, "text")
		line := fmt.Sprintf("areas/%d.html text=t%d normal=n%d frame=f%d:%d created=2026-01-0%d", i, text, text/2, text%2, text/2,
			rapid.IntRange(1, 3).Draw(t, "day"))
		for _, fact := range []string{"untracked", "incoming=1", "unmerged", "type=task", "refused"} {
			if rapid.IntRange(0, 7).Draw(t, fact) == 0 {
				line += " " + fact
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "links") == 0 {
			line += fmt.Sprintf(" link=contradicts:areas/%d.html", rapid.IntRange(0, n-1).Draw(t, "target"))
		}
		files[i] = parseFile(line)
	}
	return files
}

func checkPair(t *rapid.T, p Pair) {
	f, g := p.Reporter, p.Incumbent
	if !takesPart(f) || !takesPart(g) || !g.Before(f) {
		t.Fatalf("%s: %s reports against %s", p.Code, f.Path, g.Path)
	}
	same := sameText(f, g)
	ok := map[Code]bool{
		Duplicate:           f.ContentHash == g.ContentHash,
		DuplicateNormalized: f.ContentHash != g.ContentHash && f.NormalHash == g.NormalHash,
		FrameKeyConflict:    !same && !settled(f, g) && f.FrameKey == g.FrameKey && f.FrameValue != g.FrameValue,
		FrameKeyRestatement: !same && !settled(f, g) && f.FrameKey == g.FrameKey && f.FrameValue == g.FrameValue,
	}
	if !ok[p.Code] {
		t.Fatalf("%s and %s are no %s", f.Path, g.Path, p.Code)
	}
}

// checkToldOf: where f and an earlier g are related, f reports, against g or a
// file before g; unless what there is to say is said by a copy of f's text.
func checkToldOf(t *rapid.T, files []*index.File, reported map[string]Pair, f, g *index.File) {
	if f == g || !takesPart(f) || !takesPart(g) || !g.Before(f) {
		return
	}
	told := func(codes ...Code) bool {
		for _, p := range reported {
			if p.Reporter == f && slices.Contains(codes, p.Code) && (p.Incumbent == g || p.Incumbent.Before(g)) {
				return true
			}
		}
		return false
	}
	if f.ContentHash == g.ContentHash && !told(Duplicate) {
		t.Fatalf("%s is a silent copy of %s", f.Path, g.Path)
	}
	if f.NormalHash == g.NormalHash && !told(Duplicate, DuplicateNormalized) {
		t.Fatalf("%s is silent about the text of %s", f.Path, g.Path)
	}
	spoken := slices.ContainsFunc(files, func(h *index.File) bool {
		return takesPart(h) && h.Before(g) && (sameText(f, h) || h.ContentHash == g.ContentHash)
	})
	if f.FrameKey == g.FrameKey && !sameText(f, g) && !settled(f, g) && !spoken && !told(FrameKeyConflict, FrameKeyRestatement) {
		t.Fatalf("%s is silent about the frame of %s", f.Path, g.Path)
	}
}
