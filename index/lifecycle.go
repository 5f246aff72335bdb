package index

import (
	"iter"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// What one file says of another that a finding about the other rests on. The
// first two are relations of links, the third is memhtml-superseded-by.
const (
	relSupersedes   = "supersedes"
	relBlocks       = "blocks"
	relSupersededBy = "superseded_by"
)

// bond is a file that says one of these things of a path.
type bond struct {
	path, rel string
	file      *File
}

// bonds yields of which paths a file says what.
func bonds(f *File) iter.Seq2[string, string] {
	return func(yield func(path, rel string) bool) {
		for _, l := range f.Links {
			if l.Rel != relSupersedes && l.Rel != relBlocks {
				continue
			}
			if l.Target != "" && !yield(l.Target, l.Rel) || l.Alternate != "" && !yield(l.Alternate, l.Rel) {
				return
			}
		}
		if winner := f.Says().SupersededBy; winner != "" {
			yield(winner, relSupersededBy)
		}
	}
}

// bonded yields, by path, the other files that say rel of a path.
func (s *Snapshot) bonded(path, rel string) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		s.bonds.Ascend(bond{path, rel, &File{}}, func(b bond) bool {
			return b.path == path && b.rel == rel && (b.file.Path == path || yield(b.file))
		})
	}
}

// vouching are those of some files whose word counts: accepted, and not in the
// middle of a merge.
func vouching(files iter.Seq[*File]) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for f := range files {
			if f.Accepted && !f.Unmerged && !yield(f) {
				return
			}
		}
	}
}

// Superseders yields, by path, the files that supersede exactly a path.
func (s *Snapshot) Superseders(path string) iter.Seq[*File] {
	return vouching(s.bonded(path, relSupersedes))
}

// Winner returns the path of what f, a file outside of the archive, was
// superseded by: according to itself, or else the first file outside of the
// archive that supersedes it. It is "" for a file that stands rightly.
func (s *Snapshot) Winner(f *File) string {
	own := f.Says().SupersededBy
	switch {
	case f.Archived() || own == f.Path:
		return ""
	case own != "":
		return own
	}
	for g := range s.Superseders(f.Path) {
		if !g.Archived() {
			return g.Path
		}
	}
	return ""
}

// Unacknowledged returns the first file that supersedes f, which is archived and
// does not say by what it was superseded; nil when there is none.
func (s *Snapshot) Unacknowledged(f *File) *File {
	if !f.Archived() || f.Says().SupersededBy != "" {
		return nil
	}
	for g := range s.Superseders(f.Path) {
		return g
	}
	return nil
}

// Unclaimed yields, by path, the archived files that say f superseded them while
// f has no link that says so, in whatever year of the archive they are. A link
// on disk is enough, since the editor of f may not have read again what a commit
// wrote. It looks at no more than bondLimit files.
func (s *Snapshot) Unclaimed(f *File) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		seen := 0
		for g := range vouching(s.bonded(f.Path, relSupersededBy)) {
			if seen++; seen > bondLimit {
				return
			}
			if g.Archived() && !f.supersedes(originOf(g.Path)) && !s.diskSupersedes(f.Path, originOf(g.Path)) && !yield(g) {
				return
			}
		}
	}
}

func (s *Snapshot) diskSupersedes(path, origin string) bool {
	saved := s.Disk(path)
	return saved != nil && saved.supersedes(origin)
}

// bondLimit bounds how many files are looked at that say the same of one file.
const bondLimit = 200

// supersedes reports whether f has a link that supersedes any form of a path.
func (f *File) supersedes(origin string) bool {
	return slices.ContainsFunc(f.Links, func(l Link) bool {
		return l.Rel == relSupersedes && (originOf(l.Target) == origin || l.Alternate != "" && originOf(l.Alternate) == origin)
	})
}

// StaleBlockers returns, by path, the tasks that block f, an open task, and
// never will be done again: those in the archive and, once nothing else blocks a
// task that says it is blocked, those that are done. It looks at no more than
// bondLimit tasks.
func (s *Snapshot) StaleBlockers(f *File) []*File {
	if !f.openTask() {
		return nil
	}
	var archived, finished []*File
	seen := 0
	for g := range vouching(s.bonded(f.Path, relBlocks)) {
		if g.Type != exemptType {
			continue
		}
		if seen++; seen > bondLimit {
			return archived
		}
		if g.Archived() {
			archived = append(archived, g)
		}
		if !g.openTask() {
			finished = append(finished, g)
		}
	}
	if f.Says().TaskStatus == "blocked" && len(finished) == seen {
		return finished
	}
	return archived
}

// openTask reports whether f is a task that somebody still has to do.
func (f *File) openTask() bool {
	return f.Accepted && !f.Archived() && f.Type == exemptType && f.Says().TaskStatus != "done"
}

// Overdue reports whether f is an open task whose day is before today, a UTC day
// as 2006-01-02. "" is before every day.
func (f *File) Overdue(today string) bool {
	return f.openTask() && f.Says().Due != "" && dayOf(f.Says().Due) < today
}

// Expired reports whether f, which is not archived, held until a day before
// today.
func (f *File) Expired(today string) bool {
	return f.Accepted && !f.Archived() && f.Says().ValidUntil != "" && dayOf(f.Says().ValidUntil) < today
}

func dayOf(date string) string { return date[:min(len(date), len("2006-01-02"))] }

// deadline is a day after which there is something to tell of a file.
type deadline struct {
	day  string
	file *File
}

// deadlines are the days of a file, at most two.
func deadlines(f *File) iter.Seq[deadline] {
	return func(yield func(deadline) bool) {
		if f.Says().Due != "" && f.openTask() && !yield(deadline{dayOf(f.Says().Due), f}) {
			return
		}
		if f.Says().ValidUntil != "" && f.Accepted && !f.Archived() {
			yield(deadline{dayOf(f.Says().ValidUntil), f})
		}
	}
}

// Passed yields the files that have something else to tell on one day than on
// another: those that became overdue or expired in between. One may come twice.
func (s *Snapshot) Passed(from, to string) iter.Seq[*File] {
	from, to = min(from, to), max(from, to)
	return func(yield func(*File) bool) {
		s.deadlines.Ascend(deadline{from, &File{}}, func(d deadline) bool {
			return d.day < to && yield(d.file)
		})
	}
}

// lineageSteps and lineageFiles bound the walk from a file to what superseded it.
const (
	lineageSteps = 8
	lineageFiles = 64
)

// SupersedeCycle returns a shortest circle of files, f first, of which each
// supersedes the next and the last f; nil when there is none of at most
// lineageSteps files.
func (s *Snapshot) SupersedeCycle(f *File) []*File {
	if !f.Accepted || f.Unmerged || !slices.ContainsFunc(f.Links, func(l Link) bool { return l.Rel == relSupersedes }) {
		return nil
	}
	loserOf := map[string]*File{}
	for winner, loser := range s.lineage(f) {
		if winner.Path != f.Path {
			loserOf[winner.Path] = loser
			continue
		}
		cycle := []*File{f}
		for ; loser.Path != f.Path; loser = loserOf[loser.Path] {
			cycle = append(cycle, loser)
		}
		return cycle
	}
	return nil
}

// lineage yields what supersedes f, what supersedes that, and so on, each with
// the file it supersedes: nearest first, each file once, f itself too where it
// comes up again.
func (s *Snapshot) lineage(f *File) iter.Seq2[*File, *File] {
	return func(yield func(winner, loser *File) bool) {
		seen := map[string]bool{}
		level := []*File{f}
		for range lineageSteps {
			var above []*File
			for _, loser := range level {
				for winner := range s.Superseders(loser.Path) {
					if seen[winner.Path] {
						continue
					}
					if len(seen) == lineageFiles || !yield(winner, loser) {
						return
					}
					seen[winner.Path] = true
					above = append(above, winner)
				}
			}
			level = above
		}
	}
}

// Resolve returns the visible file that a link names: as written, or else
// percent-decoded. It is nil when there is neither.
func (s *Snapshot) Resolve(target, alternate string) *File {
	for _, path := range [...]string{target, alternate} {
		if path == "" {
			continue
		}
		if f := s.File(path); f != nil {
			return f
		}
	}
	return nil
}

// Misfit returns the end of a link with which its relation does not go: a task
// where the relation is between memories, something else where it is between
// tasks. It is nil for a link in order. A file against the format is not judged.
func Misfit(rel string, from, to *File) *File {
	class := memory.ClassOf(rel)
	if class != memory.MemoryRel && class != memory.TaskRel {
		return nil
	}
	for _, f := range [...]*File{from, to} {
		if f.Accepted && (f.Type == exemptType) != (class == memory.TaskRel) {
			return f
		}
	}
	return nil
}

// bondFellows yields the files that a bond ties to f, and those that are in a
// circle of supersessions with it, unless they are its relatives or were seen.
func (s *Snapshot) bondFellows(f *File, seen map[string]bool, yield func(string) bool) bool {
	fellow := func(g *File) bool {
		if g == nil || seen[g.Path] {
			return true
		}
		seen[g.Path] = true
		return related(f, g) || yield(g.Path)
	}
	for path := range bonds(f) {
		if !fellow(s.File(path)) {
			return false
		}
	}
	for g := range s.bonded(f.Path, relSupersededBy) {
		if !fellow(g) {
			return false
		}
	}
	for winner := range s.lineage(f) {
		if !fellow(winner) {
			return false
		}
	}
	return true
}
