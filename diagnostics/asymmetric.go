package diagnostics

var supersedeAsymmetricEntry = Entry{
	Code:     SupersedeAsymmetric,
	Severity: Warning,
	Meaning:  "only one of two memories tells that one superseded the other",
	What: "A memory in the archive has no `memhtml-superseded-by` although another supersedes it, or the memory that an archived one names there " +
		"has no `memhtml-supersedes` link to it. The finding is on the file that lacks its half.\n\n" +
		"A link to any year of the archive, or to the place the loser had, is enough. A loser that names another winner is not reported.",
	Why:   "History is read in both directions: from what held to what holds, and back. One of them ends here.",
	Fix:   "Take the action that adds the missing half.",
	Wrong: "When the half that is there is the mistake: remove it in the other file.",
	Since: "0.1.0",
}

// asymmetric reports the halves of supersessions that the file lacks.
func (r *report) asymmetric() {
	if g := r.Snapshot.Unacknowledged(r.File); g != nil {
		r.add(Finding{
			Code: SupersedeAsymmetric, Span: r.claim(),
			Message: Shown(g.Path) + " supersedes this memory, which does not name it.",
			Data:    Data{Other: g.Path, Subject: supersededBy},
			Related: []Related{r.related(g)},
		})
	}
	told := 0
	for g := range r.Snapshot.Unclaimed(r.File) {
		if told++; told > pairLimit {
			return
		}
		r.add(Finding{
			Code: SupersedeAsymmetric, Span: r.claim(),
			Message: Shown(g.Path) + " says that this memory superseded it, but no link here does.",
			Data:    Data{Other: g.Path, Subject: "supersedes"},
			Related: []Related{r.related(g)},
		})
	}
}
