package lsp

import (
	"errors"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/position"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// source is the name that editors show beside a finding.
const source = "memhtml"

// pages is where the page of each code can be read.
const pages = "https://github.com/memhtml-ls/memhtml-ls/blob/main/docs/diagnostics/"

// views are the Views and mappers of one round, one of each root, so that what
// is published together agrees with itself.
type views struct {
	s       *server
	byRoot  map[*root]*session.View
	mappers map[string]*position.Mapper
	// missed says that a place in another file could not be had since look began.
	missed bool
}

func newViews(s *server) *views {
	return &views{s: s, byRoot: map[*root]*session.View{}, mappers: map[string]*position.Mapper{}}
}

func (v *views) of(r *root) *session.View {
	if v.byRoot[r] == nil {
		v.byRoot[r] = r.View()
	}
	return v.byRoot[r]
}

// mapper maps the text that a View has for a file. A text that cannot be had
// maps everything to its start.
func (v *views) mapper(r *root, key, path string) *position.Mapper {
	view := v.of(r)
	if m := v.mappers[key]; m != nil {
		return m
	}
	text, err := view.Text(path)
	if err != nil {
		v.s.log.Debug("no text for a range", "path", path, "error", err)
		v.missed = true
	}
	m := v.s.mapText(key, text, view.IsOpen(path))
	v.mappers[key] = m
	return m
}

// mapText maps a text of a file as the client counts it.
func (s *server) mapText(key string, text []byte, open bool) *position.Mapper {
	if d, ok := s.documentOf(key); ok && open && !d.hidesMark {
		return position.New(text, s.capabilities.encoding)
	}
	return position.NewSaved(text, s.capabilities.encoding)
}

// look publishes what there is to tell about one file.
func (d *diagnoser) look(v *views, w work, key string) {
	r, path := d.s.rootOf(key)
	report, ok := session.Report{}, true
	switch {
	case d.isMuted(key):
		r = nil
	case r == nil:
		report = d.s.alone(key)
	default:
		report, ok = d.lookIn(v, r, key, path, w.typing)
	}
	if !ok {
		return
	}
	v.missed = false
	f := d.s.findings(v, r, key, report)
	if v.missed {
		d.miss(key)
	}
	d.s.publisher.publish(key, f, w.owed[key])
	for _, q := range w.asked[key] {
		q.answer <- f
	}
	delete(w.owed, key)
	delete(w.asked, key)
}

func isReady(r *root) bool {
	select {
	case <-r.ready:
		return true
	default:
		return false
	}
}

// lookIn makes the report of a file of a root. ok is false when the file will be
// marked again: by the end of the first index, by a newer View, or after a while.
func (d *diagnoser) lookIn(v *views, r *root, key, path string, typing bool) (report session.Report, ok bool) {
	if !isReady(r) && !(r.recalled.Load() && v.of(r).IsOpen(path)) {
		d.tooEarly(r, key)
		return report, false
	}
	report, err := v.of(r).Report(path)
	if err != nil {
		d.miss(key)
		if !errors.Is(err, session.ErrMoved) {
			d.s.log.Error("findings", "path", path, "error", err)
		}
		return report, false
	}
	last, known := d.held[key]
	switch {
	case typing && known:
		report.Findings = carry(last, report)
	case report.Open:
		d.held[key] = report
	default:
		delete(d.held, key)
	}
	return report, true
}

// carry returns a report's findings with the relations of the last full report
// in place of its own, moved to where their text is now.
func carry(last, report session.Report) []diagnostics.Finding {
	findings := slices.DeleteFunc(slices.Clone(report.Findings), isRelation)
	present := map[string]memory.Span{}
	for _, f := range report.Findings {
		present[string(f.Code)+" "+f.Data.Other] = f.Span
	}
	replaced, with := memory.Replacement(last.Text, report.Text)
	for _, f := range last.Findings {
		if !isRelation(f) {
			continue
		}
		moved, ok := present[string(f.Code)+" "+f.Data.Other]
		if !ok {
			moved = shift(f.Span, replaced, len(with))
		}
		f.Span = moved
		findings = append(findings, f)
	}
	slices.SortStableFunc(findings, func(a, b diagnostics.Finding) int { return a.Span.Start - b.Span.Start })
	return findings
}

// isRelation reports whether a finding is about two files.
func isRelation(f diagnostics.Finding) bool {
	return f.Data.Other != "" || f.Code == diagnostics.MoreRelations
}

// shift moves a span past a replacement of one range by n bytes. What was
// replaced shrinks onto its edges.
func shift(span, replaced memory.Span, n int) memory.Span {
	grown := n - (replaced.End - replaced.Start)
	move := func(at, inside int) int {
		switch {
		case at <= replaced.Start:
			return at
		case at >= replaced.End:
			return at + grown
		default:
			return inside
		}
	}
	return memory.Span{Start: move(span.Start, replaced.Start), End: move(span.End, replaced.Start+n)}
}

// worthALook are the files of a root that may have a finding, by real path.
func (s *server) worthALook(r *root) []string {
	var keys []string
	view := r.View()
	for file := range view.Snapshot.All() {
		if !view.Quiet(file) {
			keys = append(keys, r.Abs(file.Path))
		}
	}
	return keys
}

// findings converts a report.
func (s *server) findings(v *views, r *root, key string, report session.Report) *findings {
	var items []protocol.Diagnostic
	if len(report.Findings) > 0 {
		own := s.mapText(key, report.Text, report.Open)
		for _, f := range report.Findings {
			items = append(items, s.diagnostic(v, r, own, f))
		}
	}
	f := newFindings(s.names.of(key), items)
	_, f.open = s.documentOf(key)
	if report.Open {
		f.version = protocol.NewOptional(report.Version)
	}
	return f
}

// diagnostic converts one finding; own maps the text it was found in.
func (s *server) diagnostic(v *views, r *root, own *position.Mapper, f diagnostics.Finding) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range:    rangeOf(own, f.Span),
		Severity: protocol.DiagnosticSeverity(f.Severity),
		Code:     protocol.String(f.Code),
		Source:   protocol.NewOptional(source),
		Message:  protocol.String(f.Message),
	}
	if s.capabilities.description {
		d.CodeDescription = protocol.CodeDescription{Href: uri.URI(pages + string(f.Code) + ".md")}
	}
	if s.capabilities.diagnosticData {
		d.Data = rawJSON(f.Data)
	}
	if s.capabilities.related && r != nil {
		d.RelatedInformation = s.related(v, r, f.Related)
	}
	return d
}

// related converts the other places of a finding.
func (s *server) related(v *views, r *root, all []diagnostics.Related) []protocol.DiagnosticRelatedInformation {
	var out []protocol.DiagnosticRelatedInformation
	for _, other := range all {
		key := r.Abs(other.Path)
		out = append(out, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: s.names.of(key), Range: rangeOf(v.mapper(r, key, other.Path), other.Span)},
			Message:  other.Message,
		})
	}
	return out
}

// rangeOf converts a span.
func rangeOf(m *position.Mapper, span memory.Span) protocol.Range {
	start, end := m.Position(span.Start), m.Position(span.End)
	return protocol.Range{
		Start: protocol.Position{Line: start.Line, Character: start.Character},
		End:   protocol.Position{Line: end.Line, Character: end.Character},
	}
}

// alone is the report of a document outside every root: its format, if it is
// meant to be a memory (D4).
func (s *server) alone(key string) session.Report {
	d, ok := s.documentOf(key)
	if !ok {
		return session.Report{}
	}
	return session.Report{
		Text: d.text, Open: true, Version: d.version,
		Findings: session.CheckAlone(d.text, s.chosen().Diagnostics.Options()),
	}
}
