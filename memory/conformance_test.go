package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// conformanceDir is the folder of conformance rows: $MEMHTML_CONFORMANCE when
// it is set, else the copy that stands beside this package.
func conformanceDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("MEMHTML_CONFORMANCE"); dir != "" {
		return dir
	}
	dir, err := filepath.Abs(filepath.Join("testdata", "conformance"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
