package diagnostics

import (
	"cmp"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Input is everything a report on one file is a function of.
type Input struct {
	// Snapshot is the corpus the file is judged against; nil for a file
	// outside any root, which gets format findings only (D4).
	Snapshot *index.Snapshot
	// File is what the corpus knows of the file. Relations rest on it alone, so
	// that it may be older than Document while a person types (D3).
	File *index.File
	// Document is the text as it stands; nil when it was not read.
	Document *memory.Document
	// Claim tells where the claim of another file stands. It is asked only
	// about files that a finding names; nil means the first byte.
	Claim func(path string) memory.Span
	// Today is the UTC day as 2006-01-02, against which dates are held; "" holds
	// them against nothing.
	Today   string
	Options Options
}

// Find returns what there is to tell about one file, ordered by place, code
// and other side. Its cost is that of the file and of the files that share its
// content, its frame or a link with it, whatever the size of the corpus. A file
// that is not where memories are has findings only if it means to be one.
func Find(in Input) []Finding {
	r := report{Input: in}
	switch {
	case in.File.Unread != "":
		r.unread()
	case r.outside():
		r.stray()
	default:
		r.judge()
	}
	slices.SortStableFunc(r.findings, order)
	return r.findings
}

// judge looks at a file where memories are.
func (r *report) judge() {
	if r.Document != nil {
		r.format()
		r.contentHash()
		r.links()
		r.archiveStatus()
		r.validityInverted()
	}
	if !r.unmerged() {
		r.relations()
		r.lifecycle()
	}
}

func order(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Data.Other, b.Data.Other),
		cmp.Compare(a.Span.End, b.Span.End),
	)
}

// report gathers the findings of one file.
type report struct {
	Input
	findings []Finding
}

// wants reports whether a code is on, for checks that cost something.
func (r *report) wants(c Code) bool {
	_, on := r.Options.severity(c)
	return on
}

// add completes a finding with path and severity, unless its code is off. A
// severity that is set already is kept.
func (r *report) add(f Finding) {
	severity, on := r.Options.severity(f.Code)
	if !on {
		return
	}
	f.Path = r.File.Path
	if f.Severity == 0 {
		f.Severity = severity
	}
	r.findings = append(r.findings, f)
}

// claim is where the file's own claim stands.
func (r *report) claim() memory.Span {
	if r.Document != nil {
		return r.Document.Spans().Claim()
	}
	return r.claimOf(r.File.Path)
}

// meta is where a meta of the head has its value, or the claim.
func (r *report) meta(name string) memory.Span {
	if r.Document != nil {
		if span, ok := r.Document.Spans().Meta(name); ok {
			return span
		}
	}
	return r.claim()
}

func (r *report) claimOf(path string) memory.Span {
	if r.Claim == nil {
		return memory.Span{}
	}
	return r.Claim(path)
}
