package main

import (
	"fmt"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/frame"
	"github.com/memhtml-ls/memhtml-ls/internal/position"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// inspection is the data of "inspect.report".
type inspection struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	// Accepted says that the format refuses nothing in the file.
	Accepted bool   `json:"accepted"`
	Title    string `json:"title"`
	// Gist is the claim; ClaimAt is where findings about the claim are shown.
	Gist          string             `json:"gist"`
	ClaimAt       textRange          `json:"claimAt"`
	Frame         *inspectedFrame    `json:"frame"`
	ContentHash   string             `json:"contentHash"`
	CanonicalText string             `json:"canonicalText"`
	EventAt       string             `json:"eventAt,omitempty"`
	Problems      []inspectedProblem `json:"problems"`
	Metas         []inspectedMeta    `json:"metas"`
	Links         []inspectedLink    `json:"links"`
	Elements      []inspectedElement `json:"elements"`
	// Sessions is nil where nobody knows: outside of a root, or without git.
	Sessions []inspectedSession `json:"sessions"`
}

// inspectedFrame is the slot of the claim and what it holds.
type inspectedFrame struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type inspectedProblem struct {
	Code    string    `json:"code"`
	Kind    string    `json:"kind"`
	Subject string    `json:"subject,omitempty"`
	Value   string    `json:"value,omitempty"`
	Range   textRange `json:"range"`
}

type inspectedMeta struct {
	Name  string    `json:"name"`
	Value string    `json:"value"`
	Range textRange `json:"range"`
}

type inspectedLink struct {
	Rel    string    `json:"rel"`
	Href   string    `json:"href"`
	Target string    `json:"target"`
	Range  textRange `json:"range"`
}

type inspectedElement struct {
	Name     string               `json:"name"`
	Range    textRange            `json:"range"`
	StartTag textRange            `json:"startTag"`
	Attrs    []inspectedAttribute `json:"attrs,omitempty"`
}

type inspectedAttribute struct {
	Name  string    `json:"name"`
	Value textRange `json:"value"`
}

// newInspection shows a document with the places of everything in it.
func newInspection(path string, doc *memory.Document) *inspection {
	spans := doc.Spans()
	mapper := position.NewSaved(doc.Source, position.UTF16)
	report := &inspection{
		Path: path, Bytes: len(doc.Source), Accepted: doc.Accepted(), Title: doc.Title,
		Gist: doc.Gist, ClaimAt: rangeIn(mapper, spans.Claim()),
		ContentHash: doc.ContentHash.String(), CanonicalText: doc.Canonical, EventAt: doc.EventAt,
		Problems: []inspectedProblem{}, Metas: []inspectedMeta{}, Links: []inspectedLink{}, Elements: []inspectedElement{},
	}
	if slot, ok := frame.Of(doc.Gist); ok {
		report.Frame = &inspectedFrame{slot.Key, slot.Value}
	}
	report.addProblems(doc, mapper)
	for _, link := range doc.Links {
		target, _ := link.Target()
		report.Links = append(report.Links, inspectedLink{link.Rel, link.Href, target, rangeIn(mapper, spans.Link(link))})
	}
	for _, element := range spans.Elements() {
		report.addElement(doc, element, mapper)
	}
	return report
}

func (r *inspection) addProblems(doc *memory.Document, mapper *position.Mapper) {
	for _, group := range []struct {
		kind     string
		problems []memory.Problem
	}{{"violation", doc.Violations}, {"warning", doc.Warnings}, {"dropped", doc.Dropped}} {
		for _, p := range group.problems {
			at := rangeIn(mapper, doc.Spans().Problem(p))
			r.Problems = append(r.Problems, inspectedProblem{p.Code, group.kind, p.Subject, p.Value, at})
		}
	}
}

// addElement shows an element, and once more as a meta if it is one of ours:
// the raw value, which is not always what the format makes of it.
func (r *inspection) addElement(doc *memory.Document, element memory.Element, mapper *position.Mapper) {
	shown := inspectedElement{
		Name: element.Name, Range: rangeIn(mapper, element.Span), StartTag: rangeIn(mapper, element.StartTag),
	}
	values := map[string]memory.Span{}
	for _, attr := range element.Attrs {
		shown.Attrs = append(shown.Attrs, inspectedAttribute{attr.Name, rangeIn(mapper, attr.ValueSpan)})
		values[attr.Name] = attr.ValueSpan
	}
	r.Elements = append(r.Elements, shown)
	name := string(doc.Source[values["name"].Start:values["name"].End])
	if element.Name == "meta" && strings.HasPrefix(name, "memhtml-") {
		at := values["content"]
		r.Metas = append(r.Metas, inspectedMeta{name, string(doc.Source[at.Start:at.End]), rangeIn(mapper, at)})
	}
}

// writeInspection writes the report for people; elements are indented as they
// are nested.
func writeInspection(u *ui, r *inspection) {
	rows := [][2]string{
		{"file", fmt.Sprintf("%s, %s, %s", diagnostics.Shown(r.Path), counted(r.Bytes, "byte"), acceptance(r.Accepted))},
		{"title", diagnostics.Shown(r.Title)},
		{"claim", diagnostics.Shown(r.Gist)},
		{"frame", "none"},
		{"content hash", r.ContentHash},
	}
	if r.Frame != nil {
		rows[3][1] = fmt.Sprintf("“%s” holds “%s”", diagnostics.Shown(r.Frame.Key), diagnostics.Shown(r.Frame.Value))
	}
	if r.EventAt != "" {
		rows = append(rows, [2]string{"event", diagnostics.Shown(r.EventAt)})
	}
	u.table(rows)
	u.section("Canonical text", len(r.CanonicalText) > 0)
	for line := range strings.Lines(r.CanonicalText) {
		u.printf("  %s\n", diagnostics.Shown(strings.TrimRight(line, "\n")))
	}
	writeProblems(u, r.Problems)
	writeHead(u, r)
	writeSessions(u, r.Sessions)
	writeElements(u, r.Elements)
}

func acceptance(accepted bool) string {
	if accepted {
		return "accepted"
	}
	return "not accepted"
}

// section begins a part of the report that has something in it.
func (u *ui) section(title string, any bool) {
	if any {
		u.printf("\n%s\n", u.paint(bold, title))
	}
}

func writeProblems(u *ui, problems []inspectedProblem) {
	u.section("Problems", len(problems) > 0)
	for _, p := range problems {
		u.printf("  %s\n", strings.TrimRight(fmt.Sprintf("%-8s %s %s %s",
			lineColumn(p.Range), p.Kind, p.Code, diagnostics.Shown(p.Subject)), " "))
	}
}

func writeHead(u *ui, r *inspection) {
	u.section("Metas", len(r.Metas) > 0)
	for _, meta := range r.Metas {
		u.printf("  %-8s %s = %s\n", lineColumn(meta.Range), diagnostics.Shown(meta.Name), diagnostics.Shown(meta.Value))
	}
	u.section("Links", len(r.Links) > 0)
	for _, link := range r.Links {
		u.printf("  %-8s %s -> %s\n", lineColumn(link.Range), diagnostics.Shown(link.Rel), diagnostics.Shown(link.Target))
	}
}

func writeElements(u *ui, elements []inspectedElement) {
	u.section("Elements", len(elements) > 0)
	var open []int
	for _, element := range elements {
		for len(open) > 0 && open[len(open)-1] <= element.Range.Start.Byte {
			open = open[:len(open)-1]
		}
		// Deep nesting is indented no further than a terminal is wide.
		indent := strings.Repeat("  ", min(len(open), 20))
		u.printf("  %-8s %s%s  bytes %d to %d\n", lineColumn(element.Range), indent, diagnostics.Shown(element.Name),
			element.Range.Start.Byte, element.Range.End.Byte)
		open = append(open, element.Range.End.Byte)
	}
}

func lineColumn(at textRange) string {
	return fmt.Sprintf("%d:%d", at.Start.Line+1, at.Start.Character+1)
}
