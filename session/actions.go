package session

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// The kinds of Action. A fix mends a finding; the others are choices a person
// may make about any memory.
const (
	KindFix       = "quickfix"
	KindArchive   = "refactor.memhtml.archive"
	KindSupersede = "refactor.memhtml.supersede"
	KindCorrect   = "refactor.memhtml.correct"
)

// Action is one thing a person may choose at a place. Exactly one of Edit and
// Request is set: an Edit changes text and nothing else, a Request makes a
// commit when it is executed (G1: nothing happens before).
type Action struct {
	Title string
	Kind  string
	// Code and Span name the finding the action is about; Code is empty for an
	// action that is about the memory itself.
	Code diagnostics.Code
	Span memory.Span
	// Preferred marks the one fix that is safe to take without a look.
	Preferred bool
	// Disabled, when not empty, is why the action cannot be taken now. Unsaved are
	// the files that have to be saved first, when that alone is why: nothing is
	// expected of them.
	Disabled string
	Unsaved  []string
	// Edit is a change of the file's own text.
	Edit *TextEdit
	// Request is one of the requests of this package that name the files they are
	// about, with the expectations of this View (design.md §3.4). A LinkRequest is
	// one for KeepBoth. A CompareRequest is for a client that shows two files.
	Request any
	// Ask, when not empty, is the field of Request that the person is asked for
	// by a client that can. MustAsk says that the request is none without it.
	Ask     Asked
	MustAsk bool
	// Claim is what the memory says now, for who is asked what it is to say.
	Claim string
}

// CompareRequest asks for two memories side by side; nothing is committed.
type CompareRequest struct{ Path, Other string }

// Asked names what a person is asked for before a request is made.
type Asked string

// What is asked for.
const (
	AskReason Asked = "reason"
	AskClaim  Asked = "claim"
)

// TextEdit replaces one span of one file; the offsets are those of the View's
// text.
type TextEdit struct {
	Path string
	Span memory.Span
	New  string
}

// Actions returns what can be done at a span of a file: the fixes of the
// findings there, and on the claim of either side of a relation the choices
// about it (design.md §9). The span is widened to whole lines, because clients
// disagree about columns.
func (v *View) Actions(path string, span memory.Span) ([]Action, error) {
	report, err := v.Report(path)
	if err != nil {
		return nil, err
	}
	doc, err := v.document(path)
	if err != nil {
		return nil, err
	}
	span = wholeLines(doc.Source, span)
	var actions []Action
	for _, finding := range report.Findings {
		if overlaps(finding.Span, span) {
			actions = append(actions, v.fixes(doc, finding)...)
		}
	}
	if overlaps(wholeLines(doc.Source, doc.Spans().Claim()), span) {
		actions = append(actions, v.choices(path, doc.Spans().Claim())...)
	}
	return actions, nil
}

// expectations are the facts a command re-checks of the files that are saved;
// reason says why a file cannot be committed as it is.
func (v *View) expectations(paths []string) (expect Expectations, unsaved []string, reason string) {
	expect = Expectations{}
	for _, path := range paths {
		expectation := Expectation{}
		if b := v.buffers[path]; b != nil {
			if !b.isSaved(v.Snapshot.Disk(path)) {
				unsaved = append(unsaved, path)
				continue
			}
			expectation.Version = &b.version
		}
		text, err := v.savedText(path)
		if err != nil {
			return nil, nil, fmt.Sprintf("%s changed a moment ago.", diagnostics.Shown(path))
		}
		hash := hashBytes(text)
		expectation.Hash = &hash
		expect[path] = expectation
	}
	return expect, unsaved, ""
}

// overlaps reports whether two spans touch; an empty span touches what it is in.
func overlaps(a, b memory.Span) bool { return a.Start <= b.End && b.Start <= a.End }

// wholeLines widens a span to the lines it touches, without their ends.
func wholeLines(text []byte, span memory.Span) memory.Span {
	start, end := min(max(span.Start, 0), len(text)), min(max(span.End, 0), len(text))
	start = bytes.LastIndexByte(text[:start], '\n') + 1
	if next := bytes.IndexByte(text[end:], '\n'); next >= 0 {
		return memory.Span{Start: start, End: end + next}
	}
	return memory.Span{Start: start, End: len(text)}
}

// fixes are the text edits that mend one finding.
func (v *View) fixes(doc *memory.Document, finding diagnostics.Finding) []Action {
	var actions []Action
	offer := func(title string, edit TextEdit, ok bool) {
		if ok {
			edit.Path = finding.Path
			actions = append(actions, Action{Title: title, Kind: KindFix, Code: finding.Code, Span: finding.Span, Edit: &edit})
		}
	}
	if finding.Data.Successor != "" {
		edit, ok := repoint(doc, finding)
		offer("Point the link at "+diagnostics.Shown(finding.Data.Successor), edit, ok)
	}
	offer(v.fix(doc, finding))
	return append(actions, v.settle(finding)...)
}

// fix decides the one edit for a finding. A missing type has none, because
// nobody can know it (D21).
func (v *View) fix(doc *memory.Document, finding diagnostics.Finding) (string, TextEdit, bool) {
	subject := finding.Data.Subject
	switch finding.Code {
	case diagnostics.ContentHashStale:
		edit, ok := headEdit(doc.Source, setMeta("memhtml-content-hash", doc.ContentHash.String()))
		return "Refresh the content hash", edit, ok
	case diagnostics.MetaMissing:
		value, known := v.missingValue(subject)
		edit, ok := headEdit(doc.Source, setMeta(subject, value))
		return fmt.Sprintf("Insert %s “%s”", subject, value), edit, ok && known
	case diagnostics.MetaUnknown:
		edit, ok := headEdit(doc.Source, func(source []byte) ([]byte, error) { return memory.RemoveMeta(source, subject) })
		return fmt.Sprintf("Remove %s", diagnostics.Shown(subject)), edit, ok
	case diagnostics.DanglingLink:
		edit, ok := redirect(doc, finding)
		return "Point the link at its archived file", edit, ok
	default:
		return fixLife(doc, finding)
	}
}

// missingValue is what a required meta is inserted with (D21).
func (v *View) missingValue(name string) (string, bool) {
	switch name {
	case "memhtml-status":
		return "active", true
	case "memhtml-created", "memhtml-updated":
		return memory.Stamp(v.root.now()), true
	default:
		return "", false
	}
}

// headEdit is a head edit as one replaced span.
func headEdit(source []byte, apply edit) (TextEdit, bool) {
	after, err := apply(source)
	if err != nil {
		return TextEdit{}, false
	}
	span, replacement := memory.Replacement(source, after)
	return TextEdit{Span: span, New: string(replacement)}, span.End > span.Start || len(replacement) > 0
}

// isPlainHref reports a path that is written as it is, in markup and in an href.
func isPlainHref(path string) bool {
	return path != "" && !strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("/._~+ -", r)
	})
}

// repoint puts the successor in the place of the path of an href; what follows
// the path stays.
func repoint(doc *memory.Document, finding diagnostics.Finding) (TextEdit, bool) {
	span := finding.Span
	href := string(doc.Source[span.Start:span.End])
	path := href
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		path = href[:i]
	}
	if !strings.HasPrefix(path, "/") || strings.Contains(href, "&") || !isPlainHref(finding.Data.Successor) {
		return TextEdit{}, false
	}
	span.End = span.Start + len(path)
	return TextEdit{Span: span, New: "/" + finding.Data.Successor}, true
}

// redirect puts the archive folder in front of an href; what it is written with
// after that stays.
func redirect(doc *memory.Document, finding diagnostics.Finding) (TextEdit, bool) {
	folder, _, ok := strings.Cut(strings.TrimPrefix(finding.Data.Target, "archive/"), "/")
	if finding.Data.Target == "" || !ok {
		return TextEdit{}, false
	}
	at := finding.Span.Start
	if at >= len(doc.Source) || doc.Source[at] != '/' {
		return TextEdit{}, false
	}
	return TextEdit{Span: memory.Span{Start: at, End: at}, New: "/archive/" + folder}, true
}
