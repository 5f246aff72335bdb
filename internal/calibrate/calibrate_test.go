package calibrate

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// table is an embedder that knows a few texts.
type table map[string][]float32

func (table) ID() string         { return "table" }
func (table) Dim() int           { return 2 }
func (table) Threshold() float64 { return 0.92 }

func (m table) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var vectors [][]float32
	for i, text := range texts {
		v, known := m[text]
		if !known || i > 0 && text == texts[i-1] {
			return nil, failure.New(failure.ModelUnavailable, "The table has no such text.")
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

func TestMeasure(t *testing.T) {
	const (
		kiln    = "The kiln fires on Friday."
		again   = "The kiln fires on Friday"
		monday  = "The kiln fires on Monday."
		oven    = "The oven is lit at the end of each week."
		nothing = "Berths are let by the month."
	)
	pairs := []Pair{
		{A: kiln, B: again, Same: true, Kind: "light"},
		{A: kiln, B: monday, Kind: "number"},
		{A: kiln, B: oven, Same: true, Kind: "paraphrase"},
		{A: kiln, B: nothing, Kind: "unrelated"},
	}
	embedder := table{kiln: {1, 0}, again: {1, 0}, monday: {1, 0}, oven: {0.92, float32(math.Sqrt(1 - 0.92*0.92))}, nothing: {0, 1}}
	report, err := Measure(t.Context(), embedder, pairs)
	if err != nil {
		t.Fatal(err)
	}
	ignore := cmpopts.IgnoreTypes((*Rate)(nil))
	if diff := cmp.Diff(Score{TP: 1, FN: 1, Precision: 1, Recall: 0.5}, report.Verdict, ignore); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
	wantKinds := []Kind{
		{Kind: "light", Label: 1, Pairs: 1, Same: 1, Near: 1},
		{Kind: "paraphrase", Label: 1, Pairs: 1, Apart: 1, Near: 1},
		{Kind: "number", Pairs: 1, Differs: 1},
		{Kind: "unrelated", Pairs: 1, Apart: 1},
	}
	if diff := cmp.Diff(wantKinds, report.Kinds, ignore); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if len(report.Rows) != 120 || report.Pairs != 4 || report.Positives != 2 || report.Embedder != "table" {
		t.Fatalf("%d rows, %+v", len(report.Rows), report)
	}
	rows := map[bool]map[float64]Row{false: {}, true: {}}
	for _, r := range report.Rows {
		rows[r.Guard][r.Threshold] = r
	}
	for _, want := range []Row{
		{Threshold: 0.4, Score: Score{TP: 2, FP: 1, Precision: 2.0 / 3, Recall: 1}},
		{Threshold: 0.92, Guard: true, Score: Score{TP: 2, Precision: 1, Recall: 1}},
		{Threshold: 0.93, Guard: true, Score: Score{TP: 1, FN: 1, Precision: 1, Recall: 0.5}},
		{Threshold: 0.99, Score: Score{TP: 1, FP: 1, FN: 1, Precision: 0.5, Recall: 0.5}},
	} {
		if diff := cmp.Diff(want, rows[want.Guard][want.Threshold], ignore); diff != "" {
			t.Errorf("row (-want +got):\n%s", diff)
		}
	}
	if _, err := Measure(t.Context(), table{}, pairs); failure.CodeOf(err) != failure.ModelUnavailable {
		t.Errorf("an embedder that fails: %v", err)
	}
}

// TestRate holds Wilson's bounds to published values.
func TestRate(t *testing.T) {
	for _, tt := range []struct {
		hits, cases int
		low, high   float64
	}{
		{0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {1, 10, 0.0179, 0.4042}, {5, 10, 0.2366, 0.7634}, {31, 31, 0.8897, 1},
	} {
		got := newRate(tt.hits, tt.cases)
		if math.Abs(got.Low-tt.low) > 1e-4 || math.Abs(got.High-tt.high) > 1e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tt.hits, tt.cases, got.Low, got.High, tt.low, tt.high)
		}
	}
	if got := newRate(0, 0); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
	if got := (Score{}).finished(); got.Precision != 1 || got.Recall != 1 {
		t.Errorf("nothing found: %+v", got)
	}
}

func TestRead(t *testing.T) {
	pairs, err := Read(strings.NewReader("\ufeff{\"a\":\"x\",\"b\":\"y\",\"label\":1,\"kind\":\"light\",\"note\":3}\n\n{\"a\":\"x\",\"b\":\"\",\"label\":0}\r\n"))
	if diff := cmp.Diff([]Pair{{A: "x", B: "y", Same: true, Kind: "light"}, {A: "x"}}, pairs); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, line := range map[string]string{
		"no JSON": "x", "a list": "[]", "no b": `{"a":"x","label":1}`, "no label": `{"a":"x","b":"y"}`,
		"a third label": `{"a":"x","b":"y","label":2}`, "no UTF-8": "{\"a\":\"\xff\",\"b\":\"y\",\"label\":1}", "null": "null",
	} {
		_, err := Read(strings.NewReader("{\"a\":\"x\",\"b\":\"y\",\"label\":1}\n" + line))
		if failure.CodeOf(err) != failure.InvalidFlag || !strings.HasPrefix(err.Error(), "Line 2 ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(strings.NewReader(strings.Repeat("x", maxLine+1))); failure.CodeOf(err) != failure.InvalidFlag {
		t.Errorf("a line without end: %v", err)
	}
}
