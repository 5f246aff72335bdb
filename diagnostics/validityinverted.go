package diagnostics

import "github.com/memhtml-ls/memhtml-ls/index"

var validityInvertedEntry = Entry{
	Code:     ValidityInverted,
	Severity: Warning,
	Meaning:  "the memory stops being valid before it begins to be",
	What: "`memhtml-valid-until` is before `memhtml-valid-from`. A day is not before an hour of the same day.\n\n" +
		"Archived memories are left out: one that was corrected with an earlier date has this on purpose.",
	Why:   "At no time does the memory hold, so that a search for what held at a given day never finds it.",
	Fix:   "Correct the date that is wrong. Often the two were exchanged, or a year was mistyped.",
	Wrong: "Never.",
	Since: "0.1.0",
}

func (r *report) validityInverted() {
	if r.Snapshot == nil || r.File.Archived() || !index.Inverted(r.Document) {
		return
	}
	metas := r.Document.Metas
	r.add(Finding{
		Code: ValidityInverted, Span: r.meta(validUntil),
		Message: validUntil + " " + metas.ValidUntil + " is before memhtml-valid-from " + metas.ValidFrom + ".",
		Data:    Data{Subject: validUntil, Value: metas.ValidUntil},
	})
}

// validUntil is the meta of the last day on which a memory holds.
const validUntil = "memhtml-valid-until"
