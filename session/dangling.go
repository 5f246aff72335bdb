package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// maxDangling is how many linkers a result names.
const maxDangling = 20

// Dangling says which memories outside of the archive have links that a commit
// left without a target. A result has it only where that is known without work:
// in a root that is indexed, not in one that was opened for one command.
type Dangling struct {
	// Links are the paths of the first 20 of them, in order, Count how many
	// there are.
	Links []string `json:"danglingLinks"`
	Count int      `json:"danglingCount"`
}

// dangling looks for links to what a commit took away; nil when it took nothing
// away or nobody looked.
func (r *Root) dangling(plan store.Plan) *Dangling {
	vacated := vacatedBy(plan)
	if len(vacated) == 0 || !r.indexed() {
		return nil
	}
	snapshot := r.View().Snapshot
	found := map[string]bool{}
	for _, path := range vacated {
		for file := range snapshot.Linkers(path) {
			if !file.Archived() && dangles(snapshot, file, path) {
				found[file.Path] = true
			}
		}
	}
	links := make([]string, 0, len(found))
	for path := range found {
		links = append(links, path)
	}
	slices.Sort(links)
	return &Dangling{Links: links[:min(len(links), maxDangling)], Count: len(links)}
}

// vacatedBy are the paths outside of the archive that a plan takes a file from and
// puts none to.
func vacatedBy(plan store.Plan) []string {
	filled := map[string]bool{}
	for _, change := range plan.Changes {
		filled[change.Path] = true
	}
	var vacated []string
	for _, change := range plan.Changes {
		if change.From != "" && !memory.IsArchived(change.From) && !filled[change.From] {
			vacated = append(vacated, change.From)
		}
	}
	return vacated
}

// dangles reports whether a link of a file names a path and nothing that is
// there.
func dangles(s *index.Snapshot, file *index.File, path string) bool {
	there := func(path string) bool { return path != "" && s.File(path) != nil }
	return slices.ContainsFunc(file.Links, func(l index.Link) bool {
		return (l.Target == path || l.Alternate == path) && !there(l.Target) && !there(l.Alternate)
	})
}

// shownDangling is how many linkers a sentence names.
const shownDangling = 3

// Sentence is for people, "" when nothing dangles.
func (d *Dangling) Sentence() string {
	if d == nil || d.Count == 0 {
		return ""
	}
	var names []string
	for _, path := range d.Links[:min(len(d.Links), shownDangling)] {
		names = append(names, diagnostics.Shown(path))
	}
	more := ""
	if d.Count > len(names) {
		more = fmt.Sprintf(" and %d more", d.Count-len(names))
	}
	return "Links dangle now in " + strings.Join(names, ", ") + more + "."
}
