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

// wanted is the share of each kind that must be found. No row labelled 0 may be
// called the same, of whatever kind.
var wanted = map[string]float64{"light": 0.90, "format": 0.85, "restated": 0.90}

// TestSets holds the labelled sets beside the test to what is wanted, and those
// of the folder that MEMHTML_NEARDUP names, where it is set.
func TestSets(t *testing.T) {
	for _, dir := range []string{"testdata", os.Getenv("MEMHTML_NEARDUP")} {
		if dir != "" {
			t.Run(filepath.Base(dir), func(t *testing.T) { checkSets(t, dir) })
		}
	}
}

func checkSets(t *testing.T, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sets in %s: %v", dir, err)
	}
	found, all := map[string]int{}, map[string]int{}
	for _, path := range files {
		for _, r := range rows(t, path) {
			same := Compare(Of(r.A), Of(r.B)).Kind == Same
			all[r.Kind]++
			if same {
				found[r.Kind]++
			}
			if same && r.Label == 0 {
				t.Errorf("%s: %s: called the same:\n\t%s\n\t%s", filepath.Base(path), r.Kind, r.A, r.B)
			}
		}
	}
	for kind, share := range wanted {
		if float64(found[kind]) < share*float64(all[kind]) {
			t.Errorf("%s: %d of %d found, want %.0f %%", kind, found[kind], all[kind], 100*share)
		}
	}
}
