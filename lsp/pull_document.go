package lsp

import (
	"context"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// maxRelated is how many other files the answer about one document brings at
// most.
const maxRelated = 100

// documentDiagnostic answers what one document shows. The answer is made after
// everything that the client sent before; while it cannot be made, such as
// before the first index of a large root, the client is told to ask again.
func (s *server) documentDiagnostic(ctx context.Context, id jsonrpc2.ID, params []byte) (any, error) {
	var p struct {
		TextDocument     struct{ URI string }
		PreviousResultID string
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	key, ok := s.askable(p.TextDocument.URI)
	async(ctx)
	if !ok {
		return fullReport(&findings{}, nil), nil
	}
	f, err := s.findingsNow(ctx, key)
	if _, open := s.documentOf(key); !open {
		s.doubtLater(key)
	}
	if err != nil {
		return nil, err
	}
	others := s.pulled.answered(id, f)
	if ctx.Err() != nil {
		s.pulled.unheard(id)
		return nil, ctx.Err()
	}
	// Neovim 0.12 drops the others beside a report that nothing changed.
	if p.PreviousResultID == f.id && len(others) == 0 {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{
				Kind: string(protocol.DocumentDiagnosticReportKindUnchanged), ResultID: f.id,
			},
		}, nil
	}
	s.published.Add(int64(1 + len(others)))
	return fullReport(f, others), nil
}

// doubtLater has a file told of again with the workspace once the answer to a
// question about it has arrived: clients ask a last time about a document that
// they close, throw the answer away, and whatever arrives before it.
func (s *server) doubtLater(key string) {
	s.start("doubt an answer", func(ctx context.Context) {
		pause(ctx, refreshDelay, nil)
		s.pulled.doubt(s.names.of(key))
	})
}

// askable returns the real path of the file that a uri names. ok is false for
// what shows nothing: what is no local file, and a second document of a file for
// which another one speaks.
func (s *server) askable(spelling string) (key string, ok bool) {
	path, ok := pathOf(spelling)
	if !ok {
		return "", false
	}
	s.mu.Lock()
	d := s.documentLocked(spelling)
	speaks := d != nil && s.holders[d.key] == d
	s.mu.Unlock()
	if d != nil {
		return d.key, speaks
	}
	return realPath(path), true
}

// awaitRoot waits until the root that holds a file is known, where there is one:
// outside every root a file shows less.
func (s *server) awaitRoot(ctx context.Context, key string) error {
	if err := s.awaitFolders(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errServerCancelled(true)
	}
	if r, _ := s.rootOf(key); r != nil {
		return nil
	}
	if _, open := s.documentOf(key); open {
		s.openRootOf(ctx, key)
	}
	return nil
}

// findingsNow waits for the findings of a file as long as a request may.
func (s *server) findingsNow(ctx context.Context, key string) (*findings, error) {
	if err := s.awaitRoot(ctx, key); err != nil {
		return nil, err
	}
	timer := time.NewTimer(s.options.IndexWait)
	defer timer.Stop()
	answer, forget := s.diagnoser.ask(key)
	defer forget()
	for {
		over, changed := s.pulled.isOver()
		if over {
			return nil, errServerCancelled(false)
		}
		select {
		case f := <-answer:
			return f, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return nil, errServerCancelled(true)
		case <-changed:
		}
	}
}

// answered records the answer to a question about an open document, and returns
// what is new of other files, a part of it when it is much.
func (p *pulled) answered(id jsonrpc2.ID, f *findings) (others []*findings) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := canonical(string(f.uri))
	if now := p.shown[name]; now == nil || !now.open {
		return nil
	}
	p.toldDocumentLocked(name, f.id)
	p.tellLocked(name, telling{f.uri, f.id})
	if !p.related {
		return nil
	}
	for other := range p.news {
		if len(others) == maxRelated {
			p.signalLocked()
			break
		}
		if other != name {
			others = append(others, p.nowLocked(other))
		}
	}
	for _, other := range others {
		p.alsoToldLocked(other)
	}
	p.brought = append(p.brought, bringing{id, name, others})
	p.brought = p.brought[max(0, len(p.brought)-maxBrought):]
	return others
}

// bringing is what the answer to a request about a document brought of other
// files.
type bringing struct {
	id       jsonrpc2.ID
	document string
	others   []*findings
}

// maxBrought is how many answers are remembered until they can no longer be
// overtaken by a cancellation.
const maxBrought = 32

// cancelled is told of every cancellation.
func (s *server) cancelled(id jsonrpc2.ID) {
	if s.pulled != nil {
		s.pulled.unheard(id)
	}
}

// unheard takes note that a request was cancelled: the client throws its answer
// away, and with it what it brought of other files.
func (p *pulled) unheard(id jsonrpc2.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.distrustLocked(func(b bringing) bool { return b.id == id })
}

// distrustLocked takes for unknown what some answers brought. Caller holds mu.
func (p *pulled) distrustLocked(unheard func(bringing) bool) {
	for _, b := range p.brought {
		if !unheard(b) {
			continue
		}
		for _, f := range b.others {
			p.tellLocked(canonical(string(f.uri)), telling{f.uri, uncertain})
		}
	}
	p.brought = slices.DeleteFunc(p.brought, unheard)
}

// nowLocked is what a file shows, under the uri by which the client was told of
// it when that is nothing. Caller holds mu.
func (p *pulled) nowLocked(name string) *findings {
	if f := p.shown[name]; f != nil {
		return f
	}
	return &findings{uri: p.told[name].uri, id: noFindings}
}

// alsoToldLocked records that the answer about another document brought the
// findings of a file. Caller holds mu.
func (p *pulled) alsoToldLocked(f *findings) {
	name := canonical(string(f.uri))
	if _, asked := p.documents[name]; asked {
		p.toldDocumentLocked(name, f.id)
	}
	p.tellLocked(name, telling{f.uri, f.id})
}

// toldDocumentLocked records what the client was answered about a document; if
// that changes it is told to ask again, even if it was told so before. Caller
// holds mu.
func (p *pulled) toldDocumentLocked(name, id string) {
	p.documents[name] = id
	delete(p.refreshed, name)
}

// fullReport is the whole report of a document and others that come with it.
func fullReport(f *findings, others []*findings) *protocol.RelatedFullDocumentDiagnosticReport {
	report := &protocol.RelatedFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: full(f)}
	for _, other := range others {
		if report.RelatedDocuments == nil {
			report.RelatedDocuments = map[uri.URI]protocol.FullDocumentDiagnosticReportOrUnchangedDocumentDiagnosticReport{}
		}
		report.RelatedDocuments[other.uri] = ptr(full(other))
	}
	return report
}

// full is a whole report. It has an id unless nothing was looked at.
func full(f *findings) protocol.FullDocumentDiagnosticReport {
	report := protocol.FullDocumentDiagnosticReport{
		Kind: string(protocol.DocumentDiagnosticReportKindFull), Items: f.items,
	}
	if f.id != "" {
		report.ResultID = ptr(f.id)
	}
	if f.items == nil {
		report.Items = []protocol.Diagnostic{}
	}
	return report
}
