package session

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

const (
	drainClaim   = "Drain the gateway before a restart."
	drainReword  = "Before a restart, drain the gateway."
	drainDiffers = "Never drain the gateway before a restart."
)

func drains() map[string]string {
	return map[string]string{"areas/a.html": claim(drainClaim, 1), "areas/b.html": claim(drainReword, 2), "areas/c.html": claim(kilnClaim, 3)}
}

// compared compares the claims of a root, and returns how often it was told of
// searches, which a comparison that was kept needs none of.
func compared(t *testing.T, root *Root) (searches int) {
	t.Helper()
	err := root.CompareClaims(t.Context(), 0, func(int, int) { searches++ })
	if err != nil {
		t.Fatal(err)
	}
	return searches
}

func TestNearDuplicatesAreKnownOnceClaimsAreCompared(t *testing.T) {
	f := newFixture(t, drains())
	if got := f.codes(); len(got) > 0 {
		t.Errorf("before any comparison: %v", got)
	}
	compared(t, f.root)
	if diff := cmp.Diff([]string{"areas/b.html near-duplicate areas/a.html"}, f.codes()); diff != "" {
		t.Error(diff)
	}
}

// Saved claims are compared when they change, and the findings of the other file
// go with them; typed ones at once.
func TestNearDuplicatesFollowWhatChanges(t *testing.T) {
	var mu sync.Mutex // guards affected
	affected := map[string]bool{}
	f := newRepository(t, drains())
	root, err := Open(t.Context(), f.dir, Options{OnChange: func(c Change) {
		mu.Lock()
		defer mu.Unlock()
		for _, path := range c.Affected {
			affected[path] = true
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	f.root = root
	compared(t, root)
	step := func(what string, want []string, touched string) {
		t.Helper()
		if diff := cmp.Diff(want, f.codes()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		mu.Lock()
		defer mu.Unlock()
		if !affected[touched] {
			t.Errorf("%s: not told of %s", what, touched)
		}
		clear(affected)
	}
	differs := []string{"areas/b.html near-duplicate-divergent areas/a.html"}
	f.write("areas/b.html", claim(drainDiffers, 2))
	root.Modify(Modification{Kind: Touched, Path: "areas/b.html"})
	root.compareMoved(t.Context(), 0)
	step("saved", differs, "areas/b.html")
	f.remove("areas/a.html")
	root.Modify(Modification{Kind: Touched, Path: "areas/a.html"})
	root.compareMoved(t.Context(), 0)
	step("the other is gone", nil, "areas/b.html")
	root.Edit(Modification{Kind: Opened, Path: "areas/c.html", Text: []byte(claim(kilnClaim, 3))})
	root.Edit(Modification{Kind: Changed, Path: "areas/c.html", Text: []byte(claim(drainClaim, 3))})
	step("typed", []string{"areas/c.html near-duplicate-divergent areas/b.html"}, "areas/c.html")
}

// Who follows is woken, and keeps what was compared when the root closes.
func TestAComparisonIsKeptForTheNextStart(t *testing.T) {
	f := newFixture(t, drains())
	if compared(t, f.root) == 0 {
		t.Error("the first comparison searched for nothing")
	}
	ctx, stop := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() { f.root.FollowClaims(ctx, 0) })
	f.write("areas/c.html", claim(drainDiffers, 3))
	f.root.Modify(Modification{Kind: Touched, Path: "areas/c.html"})
	want := []string{
		"areas/b.html near-duplicate areas/a.html",
		"areas/c.html near-duplicate-divergent areas/a.html", "areas/c.html near-duplicate-divergent areas/b.html",
	}
	eventually(t, "the other is compared", func() bool { return slices.Equal(want, f.codes()) })
	stop()
	following.Wait()
	if err := f.root.Close(); err != nil {
		t.Fatal(err)
	}
	f.open()
	if n := compared(t, f.root); n > 0 {
		t.Errorf("the second start searched %d times", n)
	}
	if diff := cmp.Diff(want, f.codes()); diff != "" {
		t.Error(diff)
	}
}

// A model that the person has chosen, and that is not asked, is not replaced by
// the wording unsaid.
func TestTheWordingDoesNotReplaceAModel(t *testing.T) {
	f := newRepository(t, drains())
	root, err := Open(t.Context(), f.dir, Options{User: own(t, `{"embedder": {"use": "ollama", "url": "http://127.0.0.1:9", "model": "m"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	f.root = root
	compared(t, root)
	if got := f.codes(); len(got) > 0 {
		t.Errorf("found %v", got)
	}
	if near := root.View().Near(); near.Coverage != Unchecked || near.Why == "" {
		t.Errorf("%+v", near)
	}
}

// Two that say the same can be merged; two that differ cannot.
func TestMergeIsOfferedForWhatSaysTheSame(t *testing.T) {
	f := newFixture(t, map[string]string{
		"areas/a.html": claim(drainClaim, 1), "areas/b.html": claim(drainReword, 2), "areas/c.html": claim(drainDiffers, 3),
	})
	compared(t, f.root)
	titles := map[diagnostics.Code][]string{}
	for _, path := range []string{"areas/b.html", "areas/c.html"} {
		claim := f.findings(path)[0].Span
		actions, err := f.root.View().Actions(path, claim)
		if err != nil {
			t.Fatal(err)
		}
		for _, action := range actions {
			if action.Code != "" && action.Disabled == "" && !slices.Contains(titles[action.Code], action.Title) {
				titles[action.Code] = append(titles[action.Code], action.Title)
			}
		}
	}
	want := map[diagnostics.Code][]string{
		diagnostics.NearDuplicate: {"This supersedes areas/a.html", "areas/a.html supersedes this", "Merge into areas/a.html", "Keep both: related", "Compare with areas/a.html"},
		diagnostics.NearDivergent: {
			"This supersedes areas/c.html", "areas/c.html supersedes this", "Keep both: related", "Compare with areas/c.html",
			"This supersedes areas/b.html", "areas/b.html supersedes this", "Compare with areas/b.html",
			"This supersedes areas/a.html", "areas/a.html supersedes this", "Compare with areas/a.html",
		},
	}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Error(diff)
	}
}
