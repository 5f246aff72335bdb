package index

import (
	"iter"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// maxSuccession is how many archived memories are looked at on the way from one
// to the memory that holds in its place, and on the way back.
const maxSuccession = 100

// Successor is the memory that holds in place of an archived one: the first by
// path that supersedes it, or that supersedes what did; nil when none outside of
// the archive does.
func (s *Snapshot) Successor(archived *File) (heir *File) {
	seen := map[string]bool{archived.Path: true}
	for queue := []string{archived.Path}; len(queue) > 0 && heir == nil; queue = queue[1:] {
		for g := range s.bonded(queue[0], relSupersedes) {
			if !g.Archived() {
				heir = g
				break
			}
			if len(seen) < maxSuccession && !seen[g.Path] {
				seen[g.Path] = true
				queue = append(queue, g.Path)
			}
		}
	}
	return heir
}

// origins are the places, each once, that f is or may be a successor of: its own
// first.
func (s *Snapshot) origins(f *File) []string {
	origins := []string{originOf(f.Path)}
	seen := map[string]bool{origins[0]: true}
	for queue := []*File{f}; len(queue) > 0; queue = queue[1:] {
		for target := range queue[0].superseded() {
			origin := originOf(target)
			if len(origins) < maxSuccession && !seen[origin] {
				seen[origin] = true
				origins = append(origins, origin)
			}
			if older := s.File(target); older != nil && !seen[target] && len(seen) < 2*maxSuccession {
				seen[target] = true
				queue = append(queue, older)
			}
		}
	}
	return origins
}

// superseded yields the archived paths that f says it supersedes.
func (f *File) superseded() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range f.Links {
			if l.Rel != relSupersedes {
				continue
			}
			for _, path := range [...]string{l.Target, l.Alternate} {
				if memory.IsArchived(path) && !yield(path) {
					return
				}
			}
		}
	}
}
