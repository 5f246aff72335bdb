package embed

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// labelled are the pairs of the sets that same/ is held to.
func labelled(t testing.TB) [][2]string {
	t.Helper()
	var all [][2]string
	for _, name := range []string{"pairs", "pairs-author-a", "pairs-author-b", "pairs-author-c", "pairs-author-d"} {
		f, err := os.Open("../same/testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			var row struct{ A, B string }
			if err := json.Unmarshal(s.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			all = append(all, [2]string{row.A, row.B})
		}
	}
	return all
}

func TestLexnormVectors(t *testing.T) {
	got, err := Lexnorm{}.Embed(t.Context(), []string{"The ceiling is 64.", "the ceiling is sixty-four", "", "The ceiling is 64."})
	if err != nil {
		t.Fatal(err)
	}
	if c := Cosine(got[0], got[1]); c < 0.999 {
		t.Errorf("two spellings of one claim: %v", c)
	}
	if !slices.Equal(got[0], got[3]) || Cosine(got[2], got[2]) != 0 {
		t.Errorf("equal claims have other vectors, or no words have one: %v", got)
	}
}

// TestSameClaimsAreCandidates: what the verdict calls the same must be found.
func TestSameClaimsAreCandidates(t *testing.T) {
	all, found := 0, 0
	a, b := make([]float32, lexnormDim), make([]float32, lexnormDim)
	for _, pair := range labelled(t) {
		x, y := same.Of(pair[0]), same.Of(pair[1])
		if same.Compare(x, y).Kind != same.Same {
			continue
		}
		Lexnorm{}.Into(a, x)
		Lexnorm{}.Into(b, y)
		all++
		if Cosine(a, b) >= LexnormFloor {
			found++
		} else {
			t.Logf("%.3f: %q, %q", Cosine(a, b), pair[0], pair[1])
		}
	}
	if all < 400 || found < all {
		t.Errorf("%d of %d found", found, all)
	}
}

func TestLexnormStopsWhenItIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var refused *failure.Error
	if _, err := (Lexnorm{}).Embed(ctx, []string{"a"}); !errors.As(err, &refused) || refused.Code != failure.Cancelled {
		t.Errorf("%v, want %s", err, failure.Cancelled)
	}
}

// BenchmarkLexnorm reports percentiles beside the mean. The budget is 30 µs and
// 200 µs.
func BenchmarkLexnorm(b *testing.B) {
	all := labelled(b)
	took := make([]time.Duration, 0, 1<<20)
	v := make([]float32, lexnormDim)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		Lexnorm{}.Into(v, same.Of(all[i%len(all)][0]))
		if len(took) < cap(took) {
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}
