package embed

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

func TestCacheAsksForATextOnce(t *testing.T) {
	m := newModel(t, nil)
	c := NewCached(m.remote())
	for _, texts := range [][]string{{"a", "bb", "a"}, {"bb", "ccc"}, {"a"}, {}} {
		got, err := c.Embed(t.Context(), texts)
		if err != nil || len(got) != len(texts) {
			t.Fatalf("%d vectors for %q, %v", len(got), texts, err)
		}
		for i, text := range texts {
			want := []float32{float32(len(text)), 1}
			Unit(want)
			if diff := cmp.Diff(want, got[i]); diff != "" {
				t.Errorf("%s: %s", text, diff)
			}
		}
	}
	if diff := cmp.Diff([][]string{{"a", "bb"}, {"ccc"}}, m.asked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if TextKey("m", "a") == TextKey("n", "a") {
		t.Error("two models share their vectors")
	}
}

// TestCacheForgetsWhatIsNotUsed, and only that, so that it does not grow.
func TestCacheForgetsWhatIsNotUsed(t *testing.T) {
	m := newModel(t, nil)
	c := NewCached(m.remote())
	if _, err := c.Embed(t.Context(), []string{"used", "unused"}); err != nil {
		t.Fatal(err)
	}
	big := make([]float32, maxDim)
	for i := range 3 * cacheBytes / (4 * maxDim) {
		c.put(TextKey("other", fmt.Sprint(i)), big)
		if c.get(TextKey(c.ID(), "used")) == nil {
			t.Fatalf("what is used was forgotten after %d vectors", i)
		}
	}
	if c.get(TextKey(c.ID(), "unused")) != nil || len(c.young)+len(c.old) > 2*cacheBytes/(4*maxDim)+4 {
		t.Errorf("%d vectors are kept", len(c.young)+len(c.old))
	}
}

func TestCacheKeepsNothingOfAFailure(t *testing.T) {
	m := newModel(t, nil)
	c := NewCached(m.remote(func(s *Server) { s.Dim = 3 }))
	for range 2 {
		if _, err := c.Embed(t.Context(), []string{"a"}); failure.CodeOf(err) != failure.EmbedModelMismatch {
			t.Error(err)
		}
	}
	if n := len(m.asked()); n != 2 {
		t.Errorf("asked %d times", n)
	}
}
