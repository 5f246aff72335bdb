package store

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	s := newSandbox(t)
	head := func() string { return strings.TrimSpace(s.git("rev-parse", "HEAD")) }
	first := head()
	s.write("areas/new/deep.html", "new")
	s.write("areas/file", "becomes a folder")
	s.git("rm", "-q", drain)
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "second")
	second := head()
	s.git("rm", "-q", "areas/file")
	s.write("areas/file/x.html", "in a folder")
	s.write("areas/new/deep.html", "edited")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "third")
	third := head()
	all := map[string]bool{}
	for _, path := range strings.Fields(s.git("ls-tree", "-r", "--name-only", third)) {
		all[path] = true
	}
	tests := []struct {
		name, from, to string
		below          string
		want           map[string]bool
	}{
		{"nothing", second, second, "", map[string]bool{}},
		{"added and removed", first, second, "", map[string]bool{"areas/new/deep.html": true, "areas/file": true, drain: false}},
		{"backwards", second, first, "", map[string]bool{"areas/new/deep.html": false, "areas/file": false, drain: true}},
		{"a file becomes a folder", second, third, "", map[string]bool{"areas/file": false, "areas/file/x.html": true, "areas/new/deep.html": true}},
		{"from an unborn branch", "", third, "", all},
		{"below the top", first, second, "areas/new", map[string]bool{"deep.html": true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := s.open(test.below).Diff(context.Background(), test.from, test.to)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestStampMovesWithHeadAndIndex(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	stamp := func() string {
		t.Helper()
		got, err := r.Stamp(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := stamp()
	if stamp() != first {
		t.Error("moved without a reason")
	}
	s.write("areas/staged.html", "staged")
	s.git("add", "-A")
	staged := stamp()
	s.git("commit", "-q", "-m", "staged")
	if staged == first || stamp() == staged {
		t.Errorf("stamps %q, %q, %q", first, staged, stamp())
	}
}
