package same

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// row is a labelled pair; testdata/README.md says where they come from.
type row struct {
	A, B, Kind string
	Label      int
}

func rows(t testing.TB, path string) []row {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []row
	s := bufio.NewScanner(f)
	for s.Scan() {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, r)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// sets are the labelled files: those beside the test, and those of the folder
// that MEMHTML_NEARDUP names, where it is set.
func sets(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("MEMHTML_NEARDUP"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if err != nil || len(more) == 0 {
			t.Fatalf("no sets in MEMHTML_NEARDUP=%s: %v", dir, err)
		}
		files = append(files, more...)
	}
	return files
}

// wanted is the share of each kind that must be found. No row labelled 0 may be
// called the same, of whatever kind.
var wanted = map[string]float64{"light": 0.90, "format": 0.85}

func TestSets(t *testing.T) {
	found := map[string]int{}
	all := map[string]int{}
	for _, path := range sets(t) {
		for _, r := range rows(t, path) {
			v := Compare(Of(r.A), Of(r.B))
			all[r.Kind]++
			if v.Kind == Same {
				found[r.Kind]++
			}
			if v.Kind == Same && r.Label == 0 {
				t.Errorf("%s: %s: called the same:\n\t%s\n\t%s", filepath.Base(path), r.Kind, r.A, r.B)
			}
		}
	}
	for kind, share := range wanted {
		if got := float64(found[kind]) / float64(all[kind]); !(got >= share) {
			t.Errorf("%s: %d of %d found, want %.0f %%", kind, found[kind], all[kind], 100*share)
		}
	}
}
