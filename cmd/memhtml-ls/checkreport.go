package main

import (
	"slices"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/position"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// checkReport is the data of "check.report" (cli.md).
type checkReport struct {
	Root       string  `json:"root"`
	Head       *string `json:"head"`
	Generation uint64  `json:"generation"`
	// NearDuplicates tells how near-duplicates were looked for; null says that
	// nobody was to, which is not the same as none found (G6).
	NearDuplicates *nearReport `json:"nearDuplicates"`
	Files          int         `json:"files"`
	// Excluded is how many more there are that the settings exclude.
	Excluded int `json:"excluded,omitempty"`
	// NotCompared is how many files a format error keeps out of relations.
	NotCompared int `json:"notCompared"`
	// Inbox is how much of the root waits to be placed, whatever was checked.
	Inbox    session.Inbox `json:"inbox"`
	Findings []finding     `json:"findings"`
	Summary  summary       `json:"summary"`

	// prefix is the root's path in its repository.
	prefix string
	// whole says that all of the root was checked.
	whole bool
	// codes are the only ones that were looked for, if any are named.
	codes []string
}

// nearReport is how near-duplicates were looked for.
type nearReport struct {
	session.NearState
	// Degraded says that they could not be.
	Degraded bool `json:"degraded"`
}

// summary counts findings by severity.
type summary struct {
	Error       int `json:"error"`
	Warning     int `json:"warning"`
	Information int `json:"information"`
	Hint        int `json:"hint"`
}

type finding struct {
	Path     string           `json:"path"`
	Code     diagnostics.Code `json:"code"`
	Severity string           `json:"severity"`
	Message  string           `json:"message"`
	Range    textRange        `json:"range"`
	Related  []related        `json:"related,omitempty"`
	Data     diagnostics.Data `json:"data,omitzero"`

	severity diagnostics.Severity
}

type related struct {
	Path    string    `json:"path"`
	Range   textRange `json:"range"`
	Message string    `json:"message"`
}

// textRange is a half-open range of a file.
type textRange struct {
	Start place `json:"start"`
	End   place `json:"end"`
}

// place is a position in a file: a zero-based line, a zero-based character in
// UTF-16 units, and the byte offset from the file's start.
type place struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
	Byte      int    `json:"byte"`
}

// newCheckReport translates what a check found to places people and programs
// can go to. Findings are ordered by path, offset and code.
func newCheckReport(root *session.Root, result session.CheckResult) *checkReport {
	report := &checkReport{
		Root: root.Dir(), Generation: result.View.Snapshot.Generation(),
		Files: result.Files, Excluded: result.Excluded, NotCompared: result.NotCompared, Inbox: result.View.Inbox(),
		Findings: []finding{}, prefix: root.Prefix(),
	}
	if head := root.Head().Commit; head != "" {
		report.Head = &head
	}
	others := &mappers{view: result.View, byPath: map[string]*position.Mapper{}}
	for _, file := range result.Reports {
		mapper := position.NewSaved(file.Text, position.UTF16)
		for _, f := range file.Findings {
			report.add(f, rangeIn(mapper, f.Span), others)
		}
	}
	return report
}

func (r *checkReport) add(f diagnostics.Finding, at textRange, others *mappers) {
	shown := finding{
		Path: f.Path, Code: f.Code, Severity: f.Severity.String(), Message: f.Message,
		Range: at, Data: f.Data, severity: f.Severity,
	}
	for _, other := range f.Related {
		shown.Related = append(shown.Related, related{
			Path: other.Path, Range: rangeIn(others.of(other.Path), other.Span), Message: other.Message,
		})
	}
	r.Findings = append(r.Findings, shown)
	switch f.Severity {
	case diagnostics.Error:
		r.Summary.Error++
	case diagnostics.Warning:
		r.Summary.Warning++
	case diagnostics.Information:
		r.Summary.Information++
	default:
		r.Summary.Hint++
	}
}

// failsOn reports whether a finding is at or above the severity of that name.
func (r *checkReport) failsOn(word string) bool {
	worst, ok := map[string]diagnostics.Severity{
		"error": diagnostics.Error, "warning": diagnostics.Warning,
		"information": diagnostics.Information, "hint": diagnostics.Hint,
	}[word]
	return ok && slices.ContainsFunc(r.Findings, func(f finding) bool { return f.severity <= worst })
}

func rangeIn(mapper *position.Mapper, span memory.Span) textRange {
	return textRange{placeIn(mapper, span.Start), placeIn(mapper, span.End)}
}

func placeIn(mapper *position.Mapper, offset int) place {
	at := mapper.Position(offset)
	return place{at.Line, at.Character, offset}
}

// mappersKept bounds what mappers remembers: many findings point at few files.
const mappersKept = 1024

// mappers finds places in the files that findings point at.
type mappers struct {
	view   *session.View
	byPath map[string]*position.Mapper
}

// of returns the mapper of a file. One that cannot be read any more counts as
// empty: its places are its start.
func (m *mappers) of(path string) *position.Mapper {
	if mapper := m.byPath[path]; mapper != nil {
		return mapper
	}
	text, err := m.view.Text(path)
	if err != nil {
		text = nil
	}
	if len(m.byPath) >= mappersKept {
		clear(m.byPath)
	}
	mapper := position.NewSaved(text, position.UTF16)
	m.byPath[path] = mapper
	return mapper
}

func writeCheckJSON(u *ui, report *checkReport) {
	u.envelope(session.Success("check.report", report))
}
