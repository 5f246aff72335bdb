package session

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFindRoot has the archive and oddly named folders, which look like roots of
// their own from inside.
func TestFindRoot(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		path  string
		want  string
	}{
		{"a bucket with a memory", []string{"r/areas/x.html"}, "r/areas/x.html", "r"},
		{"a file that does not exist", []string{"r/areas/x.html"}, "r/areas/new/y.html", "r"},
		{"a marker folder", []string{"r/.memhtml/state/.gitkeep"}, "r/areas/x.html", "r"},
		{"an archived memory", []string{"r/areas/x.html", "r/archive/2026/areas/y.html"}, "r/archive/2026/areas/y.html", "r"},
		{"a root of archived memories alone", []string{"r/archive/2026/areas/y.html"}, "r/archive/2026/areas/y.html", "r"},
		{"a project called areas", []string{"r/projects/areas/x.html"}, "r/projects/areas/x.html", "r"},
		{"buckets within buckets", []string{"r/projects/areas/archive/x.html"}, "r/projects/areas/archive/x.html", "r"},
		{"a marked root in a bucket", []string{"r/areas/x.html", "r/projects/p/.memhtml/state", "r/projects/p/areas/y.html"}, "r/projects/p/areas/y.html", "r/projects/p"},
		{"a root beside the buckets", []string{"r/areas/x.html", "r/notes/areas/y.html"}, "r/notes/areas/y.html", "r/notes"},
		{"no root", []string{"r/html/x.html"}, "r/html/x.html", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range tt.files {
				path := filepath.Join(top, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(`<meta name="memhtml-type" content="semantic">`), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, ok := FindRoot(filepath.Join(top, tt.path))
			want := ""
			if tt.want != "" {
				want = filepath.Join(top, tt.want)
			}
			if got != want || ok != (want != "") {
				t.Errorf("FindRoot(%s) = %q, %v, want %q", tt.path, got, ok, want)
			}
		})
	}
}
