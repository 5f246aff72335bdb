package diagnostics

import (
	"strings"

	"github.com/memhtml-ls/memhtml-ls/index"
)

var supersedeCycleEntry = Entry{
	Code:     SupersedeCycle,
	Severity: Warning,
	Meaning:  "memories supersede each other in a circle",
	What: "Following the `memhtml-supersedes` links of this file leads back to it. Circles of up to eight files are found. " +
		"The latest of them carries the finding; what else there is to say of their supersession waits until the circle is broken.",
	Why:   "Nobody can tell which of them holds, and whoever looks for the memory that holds goes round for ever.",
	Fix:   "Remove the link that is not true.",
	Wrong: "Never. Where a memory came back after it was superseded, its link names the archived form of the other.",
	Since: "0.1.0",
}

// cycle reports the circle that the file is in, and whether there is one.
func (r *report) cycle() bool {
	files := r.Snapshot.SupersedeCycle(r.File)
	if files == nil {
		return false
	}
	f := Finding{Code: SupersedeCycle, Span: r.claim(), Message: sayCycle(files), Data: Data{Other: files[1].Path}}
	for _, g := range files[1:] {
		if r.File.Before(g) {
			return true
		}
		f.Related = append(f.Related, r.related(g))
	}
	r.add(f)
	return true
}

func sayCycle(files []*index.File) string {
	if len(files) == 2 {
		return "This memory and " + Shown(files[1].Path) + " supersede each other."
	}
	var b strings.Builder
	b.WriteString("This memory supersedes ")
	for _, g := range files[1:] {
		b.WriteString(Shown(g.Path) + ", which supersedes ")
	}
	return b.String() + "this one."
}
