package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// smudge decides which entries of an index must be marked before the index is
// written anew. Git trusts an entry's stat fields only if the file is older
// than the index; a new index is younger than files that the old one did not
// trust, and an edit within the same clock tick would go unseen (S5).
type smudge struct {
	root *os.Root
	// since is the time of the old index, which has none where known is not set.
	known    bool
	sinceSec int64
	sinceNs  uint32
	// now is when this began; content read then proves nothing about a file
	// whose clock tick may not be over.
	now time.Time
	// budget is how many files may still be read. The rest are marked unread,
	// which costs git one comparison each.
	budget int
}

const (
	smudgeBudget = 64
	// clockTick is longer than the tick of a file system's clock that counts
	// fractions of a second, clockTickCoarse than that of one that does not.
	clockTick       = 100 * time.Millisecond
	clockTickCoarse = 2500 * time.Millisecond
	// smudgeMaxSize is the largest file that is read, in bytes.
	smudgeMaxSize = 1 << 20
)

func newSmudge(root *os.Root, x *indexFile) *smudge {
	s := &smudge{root: root, now: time.Now(), budget: smudgeBudget}
	if x.stat != nil {
		since := x.stat.ModTime()
		s.known, s.sinceSec, s.sinceNs = true, since.Unix(), uint32(since.Nanosecond())
	}
	return s
}

// racy tells whether an entry must be marked.
func (s *smudge) racy(e *indexEntry) bool {
	if !s.known || e.size == 0 || !e.isFile() || e.skipWorktree() || e.intentToAdd() || e.flags&flagAssumeValid != 0 {
		return false
	}
	coarse := e.mtimeNs == 0
	if sec := int64(e.mtime); sec < s.sinceSec || sec == s.sinceSec && e.mtimeNs < s.sinceNs && !coarse {
		return false
	}
	return !s.provenClean(e, time.Unix(int64(e.mtime), int64(e.mtimeNs)), coarse)
}

// provenClean holds where the file has the entry's content and cannot change
// any more without its time changing.
func (s *smudge) provenClean(e *indexEntry, mtime time.Time, coarse bool) bool {
	tick := clockTick
	if coarse {
		tick = clockTickCoarse
	}
	if s.budget == 0 || e.size > smudgeMaxSize || s.now.Sub(mtime) < tick {
		return false
	}
	s.budget--
	path := string(e.name)
	st, err := s.root.Lstat(filepath.FromSlash(path))
	if err != nil {
		return true // gone: git sees that whatever the size says
	}
	if differs(e, st) {
		return true
	}
	d, err := readFile(s.root, path)
	return err == nil && d.id == e.id
}

// differs holds where git sees without reading that the file has changed.
func differs(e *indexEntry, st fs.FileInfo) bool {
	return !st.Mode().IsRegular() || uint32(st.Size()) != e.size || st.ModTime().Unix() != int64(e.mtime)
}
