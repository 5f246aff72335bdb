package lsp

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// pushed is the channel of clients that are told with
// textDocument/publishDiagnostics. It remembers what the client shows, so that
// nothing is sent twice and nothing stays when it should go.
type pushed struct {
	send func(*protocol.PublishDiagnosticsParams)
	// sent are the ids of what was last sent of each file.
	sent map[uri.URI]string
}

func newPushed(send func(*protocol.PublishDiagnosticsParams)) *pushed {
	return &pushed{send: send, sent: map[uri.URI]string{}}
}

// show implements [channel]. A file that never showed anything is not told
// about nothing, unless it is owed: the client opened the document.
func (p *pushed) show(f *findings, owed bool) {
	last, known := p.sent[f.uri]
	if !known {
		last = noFindings
	}
	if f.open || f.id != noFindings {
		p.sent[f.uri] = f.id
	} else {
		delete(p.sent, f.uri)
	}
	if last == f.id && !owed {
		return
	}
	params := &protocol.PublishDiagnosticsParams{URI: f.uri, Version: f.version, Diagnostics: f.items}
	if f.items == nil {
		params.Diagnostics = []protocol.Diagnostic{}
	}
	p.send(params)
}

// settle implements [channel].
func (p *pushed) settle() {}
