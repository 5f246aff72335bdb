package store

import (
	"context"
	"strings"
	"testing"
)

// Git removes the pack that an object was read from, once the object is in
// another one.
func TestObjectsAreReadAfterARepack(t *testing.T) {
	s := newSandbox(t)
	s.git("repack", "-q", "-ad")
	r := s.open()
	first := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	if _, err := r.Tracked(context.Background(), first); err != nil {
		t.Fatal(err)
	}
	s.write("areas/more.html", "more")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "more")
	s.git("repack", "-q", "-ad")
	second := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	for _, commit := range []string{second, first} {
		if _, err := r.Diff(context.Background(), "", commit); err != nil {
			t.Errorf("%s: %v", commit, err)
		}
	}
}
