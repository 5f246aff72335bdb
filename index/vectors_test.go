package index

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

func TestVectorsAreKeptByEmbedderAndText(t *testing.T) {
	db := tempDB(t)
	a, b, c := memory.Hash{1}, memory.Hash{2}, memory.Hash{3}
	keep := func(embedder string, vectors map[memory.Hash][]float32) {
		t.Helper()
		if err := db.KeepVectors(t.Context(), embedder, vectors); err != nil {
			t.Fatal(err)
		}
	}
	keep("m", map[memory.Hash][]float32{a: {0.6, 0.8}, b: {1, 0}})
	keep("n", map[memory.Hash][]float32{a: {0, 1}})
	keep("m", map[memory.Hash][]float32{b: {0, 1}})
	// What is made from the files is made anew; vectors are not.
	if err := db.Replace(t.Context(), slices.Values([]Row{}), Watermark{}); err != nil {
		t.Fatal(err)
	}
	got, err := db.Vectors(t.Context(), "m", []memory.Hash{a, b, c})
	if diff := cmp.Diff(map[memory.Hash][]float32{a: {0.6, 0.8}, b: {0, 1}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := db.Vectors(t.Context(), "o", []memory.Hash{a}); err != nil || len(got) > 0 {
		t.Errorf("of another embedder: %v, %v", got, err)
	}
}

// TestOldVectorsGo, so that the database does not grow for ever.
func TestOldVectorsGo(t *testing.T) {
	db := tempDB(t)
	var names []memory.Hash
	for i := range 10 {
		names = append(names, memory.Hash{byte(i + 1)})
		if err := db.keepVectors(t.Context(), "m", map[memory.Hash][]float32{names[i]: {1}}, 4); err != nil {
			t.Fatal(err)
		}
	}
	got, err := db.Vectors(t.Context(), "m", names)
	want := map[memory.Hash][]float32{names[6]: {1}, names[7]: {1}, names[8]: {1}, names[9]: {1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
