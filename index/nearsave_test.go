package index

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestRestoredNearIsASearchFromNothing: whatever was saved of whichever claims,
// what is restored for others is what a search from nothing finds.
func TestRestoredNearIsASearchFromNothing(t *testing.T) {
	all := templates()
	some := rapid.SliceOfDistinct(rapid.SampledFrom(all), rapid.ID[string])
	rapid.Check(t, func(r *rapid.T) {
		saved := nearOf(t, some.Draw(r, "saved")).Save()
		if rapid.Bool().Draw(r, "cut") {
			saved = saved[:rapid.IntRange(0, len(saved)).Draw(r, "length")]
		}
		claims := some.Draw(r, "claims")
		got, err := RestoreNear(t.Context(), saved, slices.Values(claims), Work{})
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(adjacency(nearOf(t, claims)), adjacency(got)); diff != "" {
			r.Fatalf("a search from nothing finds (-) and what was restored (+):\n%s", diff)
		}
		// What was restored goes on like any other.
		next, _, err := got.Change(t.Context(), all[:4], all[4:9], Work{})
		if err != nil {
			r.Fatal(err)
		}
		held := map[string]bool{}
		for _, claim := range slices.Concat(claims, all[:4]) {
			held[claim] = true
		}
		for _, claim := range all[4:9] {
			delete(held, claim)
		}
		if diff := cmp.Diff(adjacency(nearOf(t, slices.Collect(maps.Keys(held)))), adjacency(next)); diff != "" {
			r.Fatalf("after a change:\n%s", diff)
		}
	})
}

func TestNearIsKeptInTheDatabase(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if saved, err := db.Near(t.Context()); saved != nil || err != nil {
		t.Errorf("before anything was kept: %d bytes, %v", len(saved), err)
	}
	for _, claims := range [][]string{templates(), templates()[:9]} {
		n := nearOf(t, claims)
		if err := db.KeepNear(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		saved, err := db.Near(t.Context())
		if err != nil || !slices.Equal(saved, n.Save()) {
			t.Errorf("kept %d bytes, got %d, %v", len(n.Save()), len(saved), err)
		}
	}
}

// FuzzRestoreNear: any bytes are refused or restored to something that stands a
// change.
func FuzzRestoreNear(f *testing.F) {
	claims := templates()[:12]
	f.Add(nearOf(f, claims).Save())
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, saved []byte) {
		n, err := RestoreNear(t.Context(), saved, slices.Values(claims), Work{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := n.Change(t.Context(), templates()[12:14], claims[:2], Work{}); err != nil {
			t.Fatal(err)
		}
	})
}
