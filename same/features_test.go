package same

import (
	"math"
	"testing"
)

func featuresOf(claim string) map[uint64]float64 {
	all := map[uint64]float64{}
	Of(claim).Features(func(feature uint64, weight float32) { all[feature] += float64(weight) })
	return all
}

// likeness is the share that two claims have in common, as a cosine.
func likeness(a, b map[uint64]float64) float64 {
	var ab, aa, bb float64
	for f, w := range a {
		ab, aa = ab+w*b[f], aa+w*w
	}
	for _, w := range b {
		bb += w * w
	}
	return ab / math.Sqrt(aa*bb)
}

func TestFeatures(t *testing.T) {
	tests := []struct {
		a, b     string
		min, max float64
	}{
		{"The dump takes 90 minutes", "the dump takes 1.5 hours.", 0.99, 1.01},
		{"Begin the backup at 16:00", "Start the backup at 4 pm", 0.99, 1.01},
		{"The disk holds 2 GB", "The disk holds 2.01 GB", 0.9, 1},
		{"Buy more shelves", "Buy more shelvs", 0.6, 0.95},
		{"The retry limit is 3", "Grandmother likes tulips", 0, 0.05},
	}
	for _, test := range tests {
		if got := likeness(featuresOf(test.a), featuresOf(test.b)); got < test.min || got > test.max {
			t.Errorf("%q, %q: %.3f, want %.2f to %.2f", test.a, test.b, got, test.min, test.max)
		}
	}
	if all := featuresOf("the of and"); len(all) > 0 {
		t.Errorf("words that say nothing have features: %v", all)
	}
}
