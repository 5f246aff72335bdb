package lsp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

func TestShift(t *testing.T) {
	span := memory.Span{Start: 10, End: 20}
	tests := []struct {
		name     string
		replaced memory.Span
		n        int
		want     memory.Span
	}{
		{"before, longer", memory.Span{Start: 2, End: 4}, 5, memory.Span{Start: 13, End: 23}},
		{"before, deleted", memory.Span{Start: 2, End: 4}, 0, memory.Span{Start: 8, End: 18}},
		{"inserted right before", memory.Span{Start: 10, End: 10}, 3, memory.Span{Start: 10, End: 23}},
		{"inside", memory.Span{Start: 12, End: 14}, 3, memory.Span{Start: 10, End: 21}},
		{"after", memory.Span{Start: 25, End: 30}, 0, span},
		{"over the start", memory.Span{Start: 5, End: 15}, 2, memory.Span{Start: 5, End: 12}},
		{"over the end", memory.Span{Start: 15, End: 25}, 1, memory.Span{Start: 10, End: 16}},
		{"all of it", memory.Span{Start: 5, End: 25}, 4, memory.Span{Start: 5, End: 9}},
	}
	for _, test := range tests {
		if got := shift(span, test.replaced, test.n); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Of the last full report relations stay and the rest goes; of the present one
// relations wait and the rest comes.
func TestCarry(t *testing.T) {
	relation := func(at int, other string) diagnostics.Finding {
		return diagnostics.Finding{
			Code: diagnostics.Duplicate, Span: memory.Span{Start: at, End: at + 1}, Data: diagnostics.Data{Other: other},
		}
	}
	format := func(at int) diagnostics.Finding {
		return diagnostics.Finding{Code: diagnostics.TitleCount, Span: memory.Span{Start: at, End: at + 1}}
	}
	last := session.Report{Text: []byte("aXbYc"), Findings: []diagnostics.Finding{format(0), relation(1, "x"), relation(3, "y")}}
	report := session.Report{Text: []byte("aa_XbYc"), Findings: []diagnostics.Finding{format(6), relation(2, "x"), relation(0, "z")}}
	want := []diagnostics.Finding{relation(2, "x"), relation(5, "y"), format(6)}
	if diff := cmp.Diff(want, carry(last, report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
