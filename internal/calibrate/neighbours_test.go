package calibrate

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// turned is the unit vector with a cosine to the first axis.
func turned(cosine float64) []float32 {
	return []float32{float32(cosine), float32(math.Sqrt(1 - cosine*cosine)), 0}
}

func TestNearest(t *testing.T) {
	memories := []Memory{
		{"areas/a.html", "The kiln fires on Friday.", turned(1)},
		{"areas/b.html", "The oven is lit at the end of each week.", turned(0.92)},
		{"areas/c.html", "The kiln fires on Monday.", turned(0.99)},
		{"areas/d.html", "Berths are let by the month.", []float32{0, 0, 1}},
		{"areas/e.html", "The kiln fires on Friday.", turned(1)},
		{"areas/f.html", "The gate is locked at nine.", nil},
	}
	got, err := Nearest(t.Context(), memories, 0.92, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Neighbours{
		Threshold: 0.92, Memories: 5, Missing: 1, Pairs: 3, Reported: 2,
		Sample: []Neighbour{
			{A: "areas/b.html", B: "areas/c.html", ClaimA: memories[1].Claim, ClaimB: memories[2].Claim, Cosine: 0.966, Verdict: "apart", Reported: true},
			{A: "areas/a.html", B: "areas/b.html", ClaimA: memories[0].Claim, ClaimB: memories[1].Claim, Cosine: 0.92, Verdict: "apart", Reported: true},
		},
	}
	ignore := cmp.Options{cmpopts.IgnoreFields(Neighbours{}, "Rows"), cmpopts.EquateApprox(0, 0.001)}
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	rows := map[string]NeighbourRow{}
	for _, row := range got.Rows {
		rows[fmt.Sprintf("%.2f", row.Threshold)] = row
	}
	if diff := cmp.Diff(NeighbourRow{Threshold: 0.95, Pairs: 2, Differs: 1, Apart: 1, Reported: 1}, rows["0.95"]); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	if got, _ := Nearest(t.Context(), memories, 0.92, 1, nil); got.Pairs != 1 || got.Sample[0].Class != "number" && got.Sample[0].Verdict != "differs" {
		t.Errorf("the nearest alone: %+v", got)
	}
	if got, err := Nearest(t.Context(), nil, 0.92, 1, nil); err != nil || got.Pairs != 0 || len(got.Sample) != 0 {
		t.Errorf("of nothing: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Nearest(ctx, memories, 0.92, 1, nil); failure.CodeOf(err) != failure.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSampleIsEven: somebody who reads the sample sees the nearest and the
// farthest of what would be told.
func TestSampleIsEven(t *testing.T) {
	var pairs []Neighbour
	for i := range 500 {
		pairs = append(pairs, Neighbour{A: fmt.Sprint(i), Reported: true})
	}
	got := sample(pairs)
	if len(got) != sampleSize || got[0].A != "0" || got[sampleSize-1].A != "499" {
		t.Errorf("%+v", got)
	}
}
