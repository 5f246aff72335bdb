package store

import (
	"crypto/sha1"
	"strings"
	"testing"
)

func TestVersion4StaysVersion4(t *testing.T) {
	s := newSandbox(t)
	s.git("update-index", "--index-version", "4")
	s.commit(s.open(), s.archive(drain, moved))
	if raw := s.read(".git/index"); raw[7] != 4 {
		t.Errorf("version %d", raw[7])
	}
}

// TestNullTrailer is index.skipHash, which git writes from 2.40 on.
func TestNullTrailer(t *testing.T) {
	s := newSandbox(t)
	raw := s.read(".git/index")
	none := strings.Repeat("\x00", sha1.Size)
	s.write(".git/index", raw[:len(raw)-sha1.Size]+none)
	s.commit(s.open(), s.archive(drain, moved))
	if raw := s.read(".git/index"); !strings.HasSuffix(raw, none) {
		t.Error("the trailer is not null any more")
	}
	s.clean()
	s.noLeftovers()
}
