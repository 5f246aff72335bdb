package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// nearOf is the Near of some claims.
func nearOf(t testing.TB, claims []string) *Near {
	t.Helper()
	n, _, err := NewNear().Change(t.Context(), claims, nil, Work{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// adjacency is all that a Near knows.
func adjacency(n *Near) map[string][]Neighbour {
	all := map[string][]Neighbour{}
	n.places.Scan(func(at place) bool {
		all[at.claim] = n.Neighbours(at.claim)
		return true
	})
	return all
}

// templates are claims that are alike in many ways, so that more than ten are
// near to each.
func templates() []string {
	var claims []string
	for _, thing := range []string{"gateway", "ledger", "mail server"} {
		for _, limit := range []string{"retry limit", "pool ceiling", "page size", "lease time"} {
			for value := range 5 {
				claims = append(claims, fmt.Sprintf("The %s of the %s is %d", limit, thing, value+2))
			}
		}
	}
	return append(claims, "the pool ceiling of the gateway is three.", "Grandmother likes tulips", "", "of the")
}

// TestNearIsAFunctionOfTheClaims: whatever came and went, in small changes and in
// large ones, what is known is what a search from nothing finds.
func TestNearIsAFunctionOfTheClaims(t *testing.T) {
	all := templates()
	rapid.Check(t, func(r *rapid.T) {
		n, held := NewNear(), map[string]bool{}
		for range rapid.IntRange(1, 8).Draw(r, "changes") {
			some := rapid.SliceOfN(rapid.SampledFrom(all), 0, rapid.SampledFrom([]int{1, 2, 40}).Draw(r, "most"))
			add, remove := some.Draw(r, "add"), some.Draw(r, "remove")
			next, changed, err := n.Change(t.Context(), add, remove, Work{})
			if err != nil {
				r.Fatal(err)
			}
			for _, claim := range remove {
				delete(held, claim)
			}
			for _, claim := range add {
				held[claim] = true
			}
			checkChanged(r, n, next, changed)
			n = next
		}
		want := nearOf(t, slices.Collect(maps.Keys(held)))
		if diff := cmp.Diff(adjacency(want), adjacency(n)); diff != "" {
			r.Fatalf("a search from nothing finds (-) and changes found (+):\n%s", diff)
		}
	})
}

// checkChanged: every claim with other neighbours is told of.
func checkChanged(r *rapid.T, old, next *Near, changed []string) {
	before, after := adjacency(old), adjacency(next)
	for claim := range after {
		if !slices.Equal(before[claim], after[claim]) && !slices.Contains(changed, claim) {
			r.Fatalf("not told that %q has other neighbours", claim)
		}
	}
}

// TestNearStaysAsItIs: a change leaves what it started from as it was.
func TestNearStaysAsItIs(t *testing.T) {
	n := nearOf(t, templates())
	before := adjacency(n)
	if _, _, err := n.Change(t.Context(), []string{"The pool ceiling of the gateway is 9"}, templates()[:7], Work{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, adjacency(n)); diff != "" {
		t.Error(diff)
	}
}

// TestCandidatesAreTheNeighboursToBe of a claim that is not there yet.
func TestCandidatesAreTheNeighboursToBe(t *testing.T) {
	n := nearOf(t, []string{"Drain the gateway before a restart", "Tulips need a frost"})
	claim := "drain the gateway prior to a restart."
	got := n.Candidates(claim)
	after, _, err := n.Change(t.Context(), []string{claim}, nil, Work{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after.Neighbours(claim), got); diff != "" || len(got) != 1 {
		t.Errorf("(-then +now):\n%s", diff)
	}
}

func TestLexnormIsWhatTheBlocksHold(t *testing.T) {
	if dim := (embed.Lexnorm{}).Dim(); dim != lexnormDim {
		t.Errorf("vectors of %d values, blocks for %d", dim, lexnormDim)
	}
}

// TestDotIsSymmetric, on which it rests that both sides of a pair agree.
func TestDotIsSymmetric(t *testing.T) {
	a, b := new(vector), new(vector)
	embed.Lexnorm{}.Into(a[:], same.Of("Drain the gateway and wait for zero open uploads"))
	embed.Lexnorm{}.Into(b[:], same.Of(strings.Repeat("Open the gateway for uploads ", 9)))
	if dot(a, b) != dot(b, a) || dot(a, a) < 0.9999 {
		t.Errorf("%v, %v, %v", dot(a, b), dot(b, a), dot(a, a))
	}
}

// claimFile is a compared file with a claim.
func claimFile(path, claim string) *File {
	return &File{Path: path, Gist: claim, Accepted: true, Type: "semantic", Tracked: true}
}

// TestOpenBuffersAreCompared as they are typed, with files and with each other.
func TestOpenBuffersAreCompared(t *testing.T) {
	saved := claimFile("areas/a.html", "Drain the gateway before a restart")
	s, _, err := Build([]*File{saved}).CompareClaims(t.Context(), nil, Work{})
	if err != nil {
		t.Fatal(err)
	}
	b := claimFile("areas/b.html", "drain the gateway prior to a restart.").With(true, false, 1)
	c := claimFile("areas/c.html", "Drain the gateway prior to restarts").With(true, false, 2)
	s = s.Apply(Delta{Open: map[string]*File{b.Path: b, c.Path: c}})
	for _, test := range []struct {
		file *File
		want []string
	}{
		{saved, []string{b.Gist, c.Gist}}, {b, []string{saved.Gist, c.Gist}}, {c, []string{saved.Gist, b.Gist}},
	} {
		var got []string
		for _, n := range s.NearClaims(test.file) {
			got = append(got, n.Claim)
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.file.Path, diff)
		}
	}
}

// TestNearMoves: what a saved file says is compared whether or not a buffer hides
// it, and what only a buffer says is not.
func TestNearMoves(t *testing.T) {
	a, b := claimFile("areas/a.html", "one claim"), claimFile("areas/b.html", "another claim")
	s, _, err := Build([]*File{a, b}).CompareClaims(t.Context(), nil, Work{})
	if err != nil {
		t.Fatal(err)
	}
	typed := claimFile("areas/a.html", "typed").With(true, false, 1)
	s = s.Apply(Delta{Open: map[string]*File{a.Path: typed}, Disk: map[string]*File{b.Path: claimFile(b.Path, "a third")}})
	add, remove := s.NearMoves()
	if diff := cmp.Diff([][]string{{"a third"}, {"another claim"}}, [][]string{add, remove}); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsCompared(t *testing.T) {
	for kind, want := range map[string]bool{"semantic": true, "arc": false, "episodic": false, "task": false} {
		f := claimFile("areas/a.html", "claim")
		f.Type = kind
		if got := f.Compared(); got != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
	if claimFile("archive/2026/areas/a.html", "claim").Compared() {
		t.Error("an archived memory is compared")
	}
}

func TestChangeStopsWhenItIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var refused *failure.Error
	if _, _, err := NewNear().Change(ctx, templates(), nil, Work{}); !errors.As(err, &refused) || refused.Code != failure.Cancelled {
		t.Errorf("%v, want %s", err, failure.Cancelled)
	}
}
