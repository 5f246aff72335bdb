package store

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whether a folder is gone through or decoded is a matter of how often it was
// asked, and must not be one of what it answers.
func TestFolderAnswersTheSameHoweverOftenItIsAsked(t *testing.T) {
	s := newSandbox(t)
	for i := range 20 {
		s.write(fmt.Sprintf("areas/m%02d.html", i), "x")
	}
	s.write("areas/deep/m.html", "x")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "corpus")
	r := s.open()
	paths := []string{"areas", "areas/m00.html", "areas/m19.html", "areas/m20.html", "areas/m00.html/x", "areas/deep", "areas/deep/m.html", "other/m.html"}
	want := map[string]bool{
		"areas": true, "areas/m00.html": true, "areas/m19.html": true, "areas/deep": true, "areas/deep/m.html": true,
		"areas/m20.html": false, "areas/m00.html/x": false, "other/m.html": false,
	}
	for round := range 3 * decodeAfter {
		got := map[string]bool{}
		for _, p := range paths {
			ok, err := r.Holds(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			got[p] = ok
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("round %d: %s", round, d)
		}
	}
}

func TestFoldersKeepNoMoreThanTheirBound(t *testing.T) {
	var fs folders
	for i := range 20 {
		fs.keep(oid{byte(i)}, &folder{raw: make([]byte, foldersSize/3)})
		if fs.size > foldersSize || fs.size != len(fs.kept)*(foldersSize/3) {
			t.Fatalf("%d bytes of %d folders are kept", fs.size, len(fs.kept))
		}
	}
}
