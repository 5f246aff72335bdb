package store

import (
	"context"
	"strings"
	"testing"
)

// Git removes a pack whose objects are in another one by now. The pack was
// listed when a commit was read from it; the commit's folders were not read.
func TestObjectsAreReadAfterARepack(t *testing.T) {
	s := newSandbox(t)
	s.git("repack", "-q", "-ad")
	r := s.open()
	first := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	if _, err := r.commitTree(first); err != nil {
		t.Fatal(err)
	}
	s.write("areas/more.html", "more")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "more")
	s.git("repack", "-q", "-ad")
	second := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	for _, commit := range []string{first, second} {
		if _, err := r.Diff(context.Background(), "", commit); err != nil {
			t.Errorf("%s: %v", commit, err)
		}
	}
}
