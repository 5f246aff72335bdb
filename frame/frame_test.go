package frame_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/frame"
)

// TestConformance reads the rows that stand in memory/testdata, or those of
// $MEMHTML_CONFORMANCE.
func TestConformance(t *testing.T) {
	dir := os.Getenv("MEMHTML_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "memory", "testdata", "conformance")
	}
	file, err := os.Open(filepath.Join(dir, "frames.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		var row struct {
			ID, Claim string
			Expect    struct{ FrameKey *string }
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		f, ok := frame.Of(row.Claim)
		if want := row.Expect.FrameKey; ok != (want != nil) || ok && f.Key != *want {
			t.Errorf("%s: Of(%q) = %q, %v; want %s", row.ID, row.Claim, f.Key, ok, quote(want))
		}
	}
	if rows == 0 {
		t.Error("no rows")
	}
}

func quote(s *string) string {
	if s == nil {
		return "none"
	}
	return `"` + *s + `"`
}

func TestOf(t *testing.T) {
	tests := map[string]struct {
		claim string
		want  frame.Frame
	}{
		"value keeps its case":      {"The owner is Ann Lee.", frame.Frame{Key: "the owner is", Value: "Ann Lee", Normal: "ann lee"}},
		"whitespace collapses":      {" The\u00A0owner is\nAnn\t Lee ", frame.Frame{Key: "the owner is", Value: "Ann Lee", Normal: "ann lee"}},
		"one final period":          {"The pool ceiling is 64..", frame.Frame{Key: "the pool ceiling is", Value: "64.", Normal: "64"}},
		"a lone period is a value":  {"The pool ceiling is .", frame.Frame{Key: "the pool ceiling is", Value: ".", Normal: "."}},
		"space before the period":   {"The pool ceiling is 64 .", frame.Frame{Key: "the pool ceiling is", Value: "64 ", Normal: "64"}},
		"full case folding":         {"The street is STRASSE", frame.Frame{Key: "the street is", Value: "STRASSE", Normal: "strasse"}},
		"sharp s folds alike":       {"The street is Straße", frame.Frame{Key: "the street is", Value: "Straße", Normal: "strasse"}},
		"six value tokens":          {"one two is 1 2 3 4 5 6", frame.Frame{Key: "one two is", Value: "1 2 3 4 5 6", Normal: "1 2 3 4 5 6"}},
		"dotted I":                  {"The İstanbul office owner is Ali", frame.Frame{Key: "the i̇stanbul office owner is", Value: "Ali", Normal: "ali"}},
		"final sigma":               {"The ΟΔΟΣ owner is X", frame.Frame{Key: "the οδος owner is", Value: "X", Normal: "x"}},
		"sigma before an accent":    {"The Σ\u0301ΑΣ\u0301 owner is X", frame.Frame{Key: "the σ\u0301ας\u0301 owner is", Value: "X", Normal: "x"}},
		"sigma before a quoted one": {"The ΑΣ'Α owner is X", frame.Frame{Key: "the ασ'α owner is", Value: "X", Normal: "x"}},
		"sigma alone":               {"The Σ owner is X", frame.Frame{Key: "the σ owner is", Value: "X", Normal: "x"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := frame.Of(test.claim)
			if !ok {
				t.Fatalf("Of(%q) found no frame", test.claim)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Of(%q) (-want +got):\n%s", test.claim, diff)
			}
		})
	}
}

func TestOfNone(t *testing.T) {
	for _, claim := range []string{
		"", " ", "Water is wet.", "Capital is Paris.", "one two is 1 2 3 4 5 6 7",
		"The pool ceiling is", "The pool ceiling IS 64", "The pool ceiling was 64",
		"Total isolation inbox toast", "one two three to.", "one two _is 64", "one two xis 64",
	} {
		if f, ok := frame.Of(claim); ok {
			t.Errorf("Of(%q) = %+v, want none", claim, f)
		}
	}
}

func FuzzFrame(f *testing.F) {
	for _, seed := range []string{"The capital of India is New Delhi.", "The İ Σ is\u20285", "a b is .", "is in to by", "\xffa b is \xff."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, claim string) {
		got, ok := frame.Of(claim)
		if !ok {
			return
		}
		if got.Value == "" || got.Normal == "" || strings.Count(got.Key, " ") < 2 {
			t.Errorf("Of(%q) = %+v: a part is missing", claim, got)
		}
		spaced, ok := frame.Of("\u2028" + strings.ReplaceAll(claim, " ", " \uFEFF ") + "\t")
		if !ok || spaced != got {
			t.Errorf("Of(%q) = %+v, with wider spaces %+v", claim, got, spaced)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		frame.Of("The bisque kiln ceiling of the studio is 1040 degrees.")
	}
}
