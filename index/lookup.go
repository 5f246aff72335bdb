package index

import (
	"iter"
	"sort"
	"strings"

	"github.com/tidwall/btree"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Len returns how many files are visible.
func (s *Snapshot) Len() int { return s.files.Len() }

// All yields the visible files by path.
func (s *Snapshot) All() iter.Seq[*File] { return s.files.Scan }

// Below yields the visible files of a folder, named without a final slash, by
// path.
func (s *Snapshot) Below(folder string) iter.Seq[*File] {
	prefix := folder + "/"
	return func(yield func(*File) bool) {
		s.files.Ascend(&File{Path: prefix}, func(f *File) bool {
			return strings.HasPrefix(f.Path, prefix) && yield(f)
		})
	}
}

// Open yields the files of open buffers by path.
func (s *Snapshot) Open() iter.Seq[*File] { return s.open.Scan }

// File returns the visible file of a path, or nil.
func (s *Snapshot) File(path string) *File {
	f, _ := s.files.Get(&File{Path: path})
	return f
}

// Disk returns the disk's file of a path, whether or not a buffer hides it, or
// nil.
func (s *Snapshot) Disk(path string) *File { return s.disk(&File{Path: path}) }

func (t *trees) disk(key *File) *File {
	if _, hidden := t.open.Get(key); hidden {
		f, _ := t.under.Get(key)
		return f
	}
	f, _ := t.files.Get(key)
	return f
}

// DiskFiles yields the disk's files by path, open buffers left aside.
func (s *Snapshot) DiskFiles() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		s.files.Scan(func(f *File) bool {
			if disk := s.disk(f); disk != nil {
				return yield(disk)
			}
			return true
		})
	}
}

// DiskIn yields the disk's files in a folder by path, without those of the
// folders in it, which cost O(log n) each.
func (s *Snapshot) DiskIn(folder string) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		prefix := folder + "/"
		for from := prefix; from != ""; {
			start := &File{Path: from}
			from = ""
			s.files.Ascend(start, func(f *File) bool {
				rest, in := strings.CutPrefix(f.Path, prefix)
				if !in {
					return false
				}
				if name, _, below := strings.Cut(rest, "/"); below {
					from = prefix + name + afterSlash
					return false
				}
				disk := s.disk(f)
				return disk == nil || yield(disk)
			})
		}
	}
}

// afterSlash is what follows '/' in the order of bytes.
const afterSlash = string('/' + 1)

// Holders yields the eligible files with a content hash in the order of
// [File.Before]: the first is the holder, every later one a duplicate of it.
func (s *Snapshot) Holders(h memory.Hash) iter.Seq[*File] {
	return run(s.content, &File{ContentHash: h, Tracked: true}, sameContent)
}

// HolderCount returns how many files [Snapshot.Holders] yields, in O(log² n).
func (s *Snapshot) HolderCount(h memory.Hash) int {
	return count(s.content, &File{ContentHash: h, Tracked: true}, sameContent)
}

// NormalHolders is [Snapshot.Holders] for the second tier of sameness. Files
// to which that tier does not apply are never in it.
func (s *Snapshot) NormalHolders(h memory.Hash) iter.Seq[*File] {
	return run(s.normal, &File{NormalHash: h, Tracked: true}, sameNormal)
}

// NormalHolderCount returns how many files [Snapshot.NormalHolders] yields.
func (s *Snapshot) NormalHolderCount(h memory.Hash) int {
	return count(s.normal, &File{NormalHash: h, Tracked: true}, sameNormal)
}

// FrameHolders yields the eligible files whose claim has a frame key, in the
// order of [File.Before].
func (s *Snapshot) FrameHolders(key string) iter.Seq[*File] {
	return run(s.frame, &File{FrameKey: key, Tracked: true}, sameFrame)
}

// FrameHolderCount returns how many files [Snapshot.FrameHolders] yields.
func (s *Snapshot) FrameHolderCount(key string) int {
	return count(s.frame, &File{FrameKey: key, Tracked: true}, sameFrame)
}

// Linkers yields, by path, the files that link to a path, as written or
// percent-decoded; the path need not exist. A file that links to itself is one
// of its linkers.
func (s *Snapshot) Linkers(path string) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for g := range s.circle(path) {
			if linksTo(g, path) && !yield(g) {
				return
			}
		}
	}
}

// circle yields, by path, the files that link to a path in any year of the
// archive or outside of it.
func (s *Snapshot) circle(path string) iter.Seq[*File] {
	origin := originOf(path)
	return func(yield func(*File) bool) {
		s.links.Ascend(linker{origin, &File{}}, func(l linker) bool {
			return l.origin == origin && yield(l.file)
		})
	}
}

// ArchivedForms yields the files that were archived from a path, the latest year
// first. The path is that outside of the archive, and is not one of them.
func (s *Snapshot) ArchivedForms(path string) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		s.archived.Ascend(&File{Path: latestYear + path}, func(f *File) bool {
			return originOf(f.Path) == path && (f.Path == path || yield(f))
		})
	}
}

// latestYear begins a path that sorts before every real archived form.
const latestYear = "archive/999999999999/"

// Neighbours yields, each once and f itself never, the paths of the files
// whose findings may depend on f: those with its content hash, its second-tier
// hash or its frame key, those with a claim near to its own, those that link to it, to the place it was archived
// from or to a place it was archived to, or to one of what it superseded, those
// that it supersedes, blocks or was superseded by, and the other way round. f
// need not be in the snapshot. After a change ask for both the file before and
// the file after.
// There can be as many as there are files; callers stop when they have had
// enough.
func (s *Snapshot) Neighbours(f *File) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[string]bool{f.Path: true}
		_ = s.relatives(f, yield) && s.dependents(f, seen, yield) && s.bondFellows(f, seen, yield) && s.nearFellows(f, seen, yield)
	}
}

// relatives yields the files that say the same as f or fill the same frame,
// and reports whether to go on.
func (s *Snapshot) relatives(f *File, yield func(string) bool) bool {
	if !f.Eligible() {
		return true
	}
	for g := range s.Holders(f.ContentHash) {
		if g.Path != f.Path && !yield(g.Path) {
			return false
		}
	}
	for g := range s.NormalHolders(f.NormalHash) {
		if g.Path != f.Path && !sameContent(f, g) && !yield(g.Path) {
			return false
		}
	}
	for g := range s.FrameHolders(f.FrameKey) {
		if g.Path != f.Path && !sameText(f, g) && !yield(g.Path) {
			return false
		}
	}
	return true
}

// dependents yields the files that link to f, or to what it superseded, where it
// is, was or may have been, and are not its relatives: a finding on their link
// says where f is. seen are those that were yielded before.
func (s *Snapshot) dependents(f *File, seen map[string]bool, yield func(string) bool) bool {
	for _, origin := range s.origins(f) {
		for g := range s.circle(origin) {
			if seen[g.Path] || related(f, g) {
				continue
			}
			seen[g.Path] = true
			if !yield(g.Path) {
				return false
			}
		}
	}
	return true
}

func linksTo(f *File, path string) bool {
	for target := range targets(f) {
		if target == path {
			return true
		}
	}
	return false
}

// related reports whether two files are in one run of any index of relations.
func related(f, g *File) bool {
	return f.Eligible() && g.Eligible() && (sameText(f, g) || hasFrame(f) && sameFrame(f, g))
}

func sameContent(f, g *File) bool { return f.ContentHash == g.ContentHash }
func sameNormal(f, g *File) bool  { return f.NormalHash == g.NormalHash }
func sameFrame(f, g *File) bool   { return f.FrameKey == g.FrameKey }

// sameText reports sameness in either tier.
func sameText(f, g *File) bool {
	return sameContent(f, g) || hasNormal(f) && sameNormal(f, g)
}

// Related reports whether f, a file of the snapshot, shares its content hash,
// its second-tier hash or its frame key with another eligible file.
func (s *Snapshot) Related(f *File) bool {
	return f.Eligible() && (more(s.Holders(f.ContentHash)) ||
		more(s.NormalHolders(f.NormalHash)) || more(s.FrameHolders(f.FrameKey)))
}

// more reports whether a sequence has more than one file.
func more(files iter.Seq[*File]) bool {
	n := 0
	for range files {
		if n++; n > 1 {
			return true
		}
	}
	return false
}

// Quiet reports that f, a file of the snapshot, has certainly no finding on a
// UTC day (2006-01-02): it was taken in, is not flawed, in no relation, every
// link of it names another visible file of the right kind, no claim is near to
// its own, and its life is in order. A pass over the corpus reads only the files that are not quiet.
func (s *Snapshot) Quiet(f *File, today string) bool {
	switch {
	case f.Flawed, f.Unmerged, f.Unread != "", f.Misstated(), f.Inverted && !f.Archived(), f.Overdue(today), f.Expired(today):
		return false
	case s.Related(f), s.unsettled(f), s.nearRelated(f):
		return false
	}
	for _, l := range f.Links {
		g := s.Resolve(l.Target, l.Alternate)
		if g == nil || g.Path == f.Path || Misfit(l.Rel, f, g) != nil {
			return false
		}
	}
	return true
}

// unsettled reports whether what other files say may lead to a finding on f.
func (s *Snapshot) unsettled(f *File) bool {
	if s.Winner(f) != "" || s.Unacknowledged(f) != nil || len(s.StaleBlockers(f)) > 0 || s.SupersedeCycle(f) != nil {
		return true
	}
	for range s.Unclaimed(f) {
		return true
	}
	return false
}

// run yields the files that are the same as first, which is no later than any
// of them.
func run(t *btree.BTreeG[*File], first *File, same func(f, g *File) bool) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		t.Ascend(first, func(f *File) bool { return same(first, f) && yield(f) })
	}
}

// count is the length of a run, found by bisecting the tree by rank.
func count(t *btree.BTreeG[*File], first *File, same func(f, g *File) bool) int {
	at := func(i int) *File { f, _ := t.GetAt(i); return f }
	start := sort.Search(t.Len(), func(i int) bool { return !t.Less(at(i), first) })
	return sort.Search(t.Len()-start, func(i int) bool { return !same(first, at(start+i)) })
}
