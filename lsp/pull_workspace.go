package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// reportsPerChunk bounds one part of an answer that is streamed.
const reportsPerChunk = 100

// poll is a request for the workspace that is being answered.
type poll struct {
	// known are the ids that the client has, by canonical uri, brought up to date
	// with what it is told.
	known map[string]string
	// spellings are the uris under which the client has them.
	spellings map[string][]uri.URI
	// dirty are the files to compare: all of them at first, then those that
	// changed.
	dirty map[string]bool
	// over says that a later request took its place.
	over bool
}

// workspaceDiagnostic answers what changed in the files of the workspace since
// the client was last told. It is held until something has: clients ask again as
// soon as they are answered. Of two requests the earlier one is answered with
// nothing.
//
// With a token the answer is streamed in parts.
func (s *server) workspaceDiagnostic(ctx context.Context, params []byte) (any, error) {
	var p struct {
		PreviousResultIDs  []struct{ URI, Value string }
		PartialResultToken json.RawMessage
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	q := &poll{known: map[string]string{}, spellings: map[string][]uri.URI{}}
	for _, previous := range p.PreviousResultIDs {
		name := canonical(previous.URI)
		q.known[name] = previous.Value
		q.spellings[name] = append(q.spellings[name], uri.URI(previous.URI))
	}
	s.pulled.begin(q)
	async(ctx)
	defer s.pulled.finish(q)
	reports, err := s.pulled.await(ctx, q)
	if err != nil {
		return nil, err
	}
	s.published.Add(int64(len(reports)))
	if len(p.PartialResultToken) > 0 && string(p.PartialResultToken) != "null" {
		reports = s.stream(p.PartialResultToken, reports)
	}
	return &protocol.WorkspaceDiagnosticReport{Items: reports}, nil
}

// stream sends reports in parts and returns the last one, which is the answer.
func (s *server) stream(token json.RawMessage, reports []protocol.WorkspaceDocumentDiagnosticReport) []protocol.WorkspaceDocumentDiagnosticReport {
	for len(reports) > reportsPerChunk {
		part, err := protocol.Marshal(&protocol.WorkspaceDiagnosticReport{Items: reports[:reportsPerChunk]})
		if err != nil {
			panic(err)
		}
		s.client.notify(protocol.MethodProgress, rawJSON(struct {
			Token json.RawMessage `json:"token"`
			Value json.RawMessage `json:"value"`
		}{token, part}))
		reports = reports[reportsPerChunk:]
	}
	return reports
}

// begin makes a request the one that is held.
func (p *pulled) begin(q *poll) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.poll != nil {
		p.poll.over = true
	}
	p.poll = q
	q.dirty = maps.Clone(p.news)
	for name := range p.shown {
		q.dirty[name] = true
	}
	for name := range q.known {
		q.dirty[name] = true
	}
	p.wakeLocked()
}

// finish lets go of a request.
func (p *pulled) finish(q *poll) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.polledAt = time.Now()
	if p.poll == q {
		p.poll = nil
	}
}

// await holds a request until there is something to tell.
func (p *pulled) await(ctx context.Context, q *poll) ([]protocol.WorkspaceDocumentDiagnosticReport, error) {
	for {
		p.mu.Lock()
		changed, over, taken := p.changed, p.over, q.over
		var reports []protocol.WorkspaceDocumentDiagnosticReport
		if p.settled && !taken {
			reports = p.reportsLocked(q)
		}
		p.mu.Unlock()
		switch {
		case over:
			return nil, errServerCancelled(false)
		case taken || len(reports) > 0:
			return slices.Concat([]protocol.WorkspaceDocumentDiagnosticReport{}, reports), nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// reportsLocked returns what is to be told, the most severe first, and records
// that it is. Caller holds mu.
//
// An open document that the client asks for is told of only beside others: the
// client keeps to what it was answered for the document, and is told to ask
// again when that is old.
func (p *pulled) reportsLocked(q *poll) []protocol.WorkspaceDocumentDiagnosticReport {
	var tell []string
	wanted := false
	for name := range q.dirty {
		if !p.isNewsLocked(q, name) {
			delete(q.dirty, name)
			continue
		}
		tell = append(tell, name)
		_, asked := p.documents[name]
		wanted = wanted || !asked
	}
	if !wanted {
		return nil
	}
	slices.SortFunc(tell, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.severityLocked(a), p.severityLocked(b)), cmp.Compare(a, b))
	})
	var reports []protocol.WorkspaceDocumentDiagnosticReport
	for _, name := range tell {
		reports = append(reports, p.reportLocked(q, name)...)
	}
	return reports
}

// maxRetold is how often the client is told again what it was told before and
// does not know. One that never takes it would ask for ever.
const maxRetold = 3

// isNewsLocked reports whether the client has to be told about a file. Of a
// closed one it may have lost what it was told; of an open one it may go on to
// send an older id, because it does not take this answer for it. Caller holds mu.
func (p *pulled) isNewsLocked(q *poll, name string) bool {
	if f := p.shown[name]; f != nil && f.open {
		return p.news[name]
	}
	known, ok := q.known[name]
	if !ok {
		known = noFindings
	}
	same := known == p.idLocked(name) && len(q.spellings[name]) <= 1
	return p.news[name] || !same && p.retold[name] < maxRetold
}

// severityLocked orders reports; what shows nothing any more comes first.
// Caller holds mu.
func (p *pulled) severityLocked(name string) int {
	if f := p.shown[name]; f != nil {
		return f.severity()
	}
	return 0
}

// reportLocked makes the report of one file, in the client's spelling; the
// others that it has of the same file are cleared. Caller holds mu.
func (p *pulled) reportLocked(q *poll, name string) (reports []protocol.WorkspaceDocumentDiagnosticReport) {
	if !p.news[name] {
		p.retold[name]++
	}
	f := p.nowLocked(name)
	spellings := q.spellings[name]
	spelling := f.uri
	if len(spellings) > 0 && !slices.Contains(spellings, spelling) {
		spelling = spellings[0]
	}
	for _, other := range spellings {
		if other != spelling {
			reports = append(reports, workspaceReport(&findings{uri: other}, other))
		}
	}
	q.known[name], q.spellings[name] = p.idLocked(name), nil
	delete(q.dirty, name)
	p.tellLocked(name, telling{spelling, p.idLocked(name)})
	return append(reports, workspaceReport(f, spelling))
}

// workspaceReport is one item of the answer. A file without findings has no id,
// so that the client need not send it back for ever.
func workspaceReport(f *findings, spelling uri.URI) protocol.WorkspaceDocumentDiagnosticReport {
	report := &protocol.WorkspaceFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: full(f), URI: spelling}
	if len(f.items) == 0 {
		report.ResultID = nil
	}
	if version, ok := f.version.Get(); ok {
		report.Version = &version
	}
	return report
}
