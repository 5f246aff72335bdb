package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func supersedes(path string) func(*File) {
	return func(f *File) { f.Links = append(f.Links, Link{Rel: "supersedes", Target: path}) }
}

func TestSuccessor(t *testing.T) {
	const x, y = "archive/2025/areas/x.html", "archive/2026/areas/y.html"
	tests := []struct {
		name  string
		files []*File
		want  string
	}{
		{"none", nil, ""},
		{"another relation", []*File{file("areas/z.html", 2, link(x, ""))}, ""},
		{"the next", []*File{file("areas/z.html", 2, supersedes(x))}, "areas/z.html"},
		{"the one after", []*File{file(y, 2, supersedes(x)), file("areas/z.html", 3, supersedes(y))}, "areas/z.html"},
		{"archived alone", []*File{file(y, 2, supersedes(x))}, ""},
		{"in a circle", []*File{file(y, 2, supersedes(x)), file("archive/2026/areas/w.html", 2, supersedes(y), supersedes(x))}, ""},
		{"one of two", []*File{file(y, 2, supersedes(x)), file("areas/z.html", 3, supersedes(x))}, "areas/z.html"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := file(x, 1)
			got := ""
			if heir := Build(append(tt.files, f)).Successor(f); heir != nil {
				got = heir.Path
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Whoever links to what was superseded is told what holds, and has to hear when
// that is another.
func TestLinkersOfTheSupersededAreNeighbours(t *testing.T) {
	var files []*File
	for i := range 3 {
		f := file(fmt.Sprintf("archive/2026/areas/x-%d.html", i), byte(i))
		if i > 0 {
			supersedes(fmt.Sprintf("archive/2026/areas/x-%d.html", i-1))(f)
		}
		files = append(files, f, file(fmt.Sprintf("areas/linker-%d.html", i), byte(10+i), link(fmt.Sprintf("areas/x-%d.html", i), "")))
	}
	f := file("areas/x-3.html", 20, supersedes("archive/2026/areas/x-2.html"))
	both := file("areas/both.html", 21, link("areas/x-0.html", ""), link("areas/x-3.html", ""))
	s := Build(append(files, f, both))
	want := []string{
		"areas/both.html", "areas/linker-2.html", "archive/2026/areas/x-2.html",
		"areas/linker-1.html", "archive/2026/areas/x-1.html", "areas/linker-0.html",
	}
	got := slices.Collect(s.Neighbours(f))
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
