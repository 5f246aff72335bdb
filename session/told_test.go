package session

import "testing"

func TestSentenceOfABatch(t *testing.T) {
	commit, two := "3f9c2ab0000000000000000000000000000000000", 2
	tests := []struct {
		result ApplyResult
		want   string
	}{
		{
			ApplyResult{Done: Done{Commit: &commit}, Summary: ApplySummary{Total: 1, Written: 1}},
			"Applied 1 operation: 1 written (memhtml 3f9c2ab).",
		},
		{
			ApplyResult{Done: Done{Commit: &commit}, Summary: ApplySummary{Total: 6, Written: 2, Deduped: 1, Failed: 1, Consolidated: &two}},
			"Applied 6 operations: 2 written, 1 there already, 2 consolidated, 1 refused (memhtml 3f9c2ab).",
		},
		{ApplyResult{Summary: ApplySummary{Total: 2, Deduped: 2}}, "Applied 2 operations: 2 there already."},
		{
			ApplyResult{
				Results: []OperationResult{{Skipped: true}, {Index: 1, Code: "ERR_MISSING_ARGUMENT", Error: "a memory needs a claim."}},
				Summary: ApplySummary{Total: 2, Failed: 1, Skipped: 1},
			},
			"Not applied: operation 2 of 2: a memory needs a claim.",
		},
	}
	for _, test := range tests {
		if got := test.result.Sentence(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
