package lsp

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever comes and goes, the files that are shown are the first by severity
// and path, and what set returns is how they became so.
func TestRankingShowsTheMostSevere(t *testing.T) {
	for _, limit := range []int{0, 1, 3, 50} {
		random := rand.New(rand.NewPCG(1, uint64(limit)))
		r, severities, shown := newRanking(limit), map[string]int{}, map[string]bool{}
		for range 2000 {
			key, severity := fmt.Sprint(random.IntN(20)), random.IntN(5)
			come, gone := r.set(key, severity)
			severities[key] = severity
			for _, k := range come {
				shown[k] = true
			}
			for _, k := range gone {
				delete(shown, k)
			}
			if delete(shown, key); r.shows(key) {
				shown[key] = true
			}
			if want, got := firstOf(severities, limit), slices.Sorted(maps.Keys(shown)); !slices.Equal(want, got) {
				t.Fatalf("limit %d shows %v, want %v", limit, got, want)
			}
		}
	}
}

// firstOf sorts all files and takes the first ones.
func firstOf(severities map[string]int, limit int) []string {
	var keys []string
	for key, severity := range severities {
		if severity > 0 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(severities[a], severities[b]), cmp.Compare(a, b))
	})
	keys = keys[:min(limit, len(keys))]
	slices.Sort(keys)
	return keys
}
