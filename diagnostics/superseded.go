package diagnostics

var supersededActiveEntry = Entry{
	Code:     SupersededActive,
	Severity: Warning,
	Meaning:  "the memory was superseded and is not in the archive",
	What: "The head has a `memhtml-superseded-by`, or another memory has a `memhtml-supersedes` link to this file, and neither is in the archive. " +
		"A link to an archived form of this path does not count: a memory may come back.",
	Why: "Both memories are found and told as true, the one that holds and the one that held. " +
		"Superseding is more than the link: the loser goes to the archive with the dates of its validity.",
	Fix:   "Take the action that lets the other memory supersede this one: it does the rest in one commit. If this one still holds, remove the meta or the link.",
	Wrong: "When only a part of this memory was superseded. Say so with another relation, such as contradicts.",
	Since: "0.1.0",
}

// superseded reports a file that another was to take the place of.
func (r *report) superseded() {
	winner := r.Snapshot.Winner(r.File)
	if winner == "" {
		return
	}
	f := Finding{
		Code: SupersededActive, Span: r.claim(),
		Message: "Superseded by " + Shown(winner) + ", but not in the archive.",
		Data:    Data{Other: winner},
	}
	if r.File.Says().SupersededBy != "" {
		f.Span = r.meta(supersededBy)
	}
	if g := r.Snapshot.File(winner); g != nil {
		f.Related = []Related{r.related(g)}
	}
	r.add(f)
}

// supersededBy is the meta of a loser.
const supersededBy = "memhtml-superseded-by"
