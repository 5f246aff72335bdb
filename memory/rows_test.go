package memory

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// eachRow runs f as a subtest for every row of a conformance file, under the
// row's id or the file it is about.
func eachRow[T any](t *testing.T, name string, f func(t *testing.T, row T)) {
	t.Helper()
	file, err := os.Open(filepath.Join(conformanceDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var key struct{ ID, File string }
		var row T
		if err := json.Unmarshal(lines.Bytes(), &key); err != nil {
			t.Fatalf("%s, row %d: %v", name, n+1, err)
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s, %s: %v", name, key.ID, err)
		}
		t.Run(cmp.Or(key.ID, key.File), func(t *testing.T) { f(t, row) })
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatalf("%s has no rows", name)
	}
}
