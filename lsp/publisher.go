package lsp

import (
	"crypto/sha256"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// publisher sends findings, and remembers what the client shows so that
// nothing is sent twice and nothing stays when it should go. Keys are real
// paths; it is used from the one goroutine that computes findings, and the
// mutex is for those who ask what is shown.
type publisher struct {
	// send is called with mu held.
	send func(*protocol.PublishDiagnosticsParams)

	mu   sync.Mutex // guards everything below
	sent map[string]publication
	// sets is how many sets were sent.
	sets int64
}

// publication is what was last sent for a file.
type publication struct {
	uri   uri.URI
	set   [sha256.Size]byte
	empty bool
}

func newPublisher(send func(*protocol.PublishDiagnosticsParams)) *publisher {
	p := &publisher{sent: map[string]publication{}}
	p.send = func(params *protocol.PublishDiagnosticsParams) { p.sets++; send(params) }
	return p
}

// count returns how many sets of findings were sent so far.
func (p *publisher) count() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sets
}

// publish sends a set of findings unless the client shows it already. A file
// that never showed any is not told about none, unless owed says that the
// client waits for an answer: it opened the document. A file whose spelling
// changed is cleared under the old one.
func (p *publisher) publish(key string, params *protocol.PublishDiagnosticsParams, owed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := publication{uri: params.URI, set: setHash(params.Diagnostics), empty: len(params.Diagnostics) == 0}
	last, known := p.sent[key]
	if known && last.uri != now.uri {
		p.clearLocked(key)
		known = false
	}
	if !owed && (known && last.set == now.set || !known && now.empty) {
		return
	}
	p.sent[key] = now
	p.send(params)
}

// clear takes away what the client shows for a file, if anything.
func (p *publisher) clear(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clearLocked(key)
}

// clearLocked is clear; the caller holds mu.
func (p *publisher) clearLocked(key string) {
	if last, ok := p.sent[key]; ok {
		delete(p.sent, key)
		if !last.empty {
			p.send(&protocol.PublishDiagnosticsParams{URI: last.uri, Diagnostics: []protocol.Diagnostic{}})
		}
	}
}

// shown returns the files for which the client shows something.
func (p *publisher) shown() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var keys []string
	for key, last := range p.sent {
		if !last.empty {
			keys = append(keys, key)
		}
	}
	return keys
}

// setHash identifies a set of findings by what the client would show.
func setHash(diagnostics []protocol.Diagnostic) [sha256.Size]byte {
	h := sha256.New()
	for i := range diagnostics {
		body, err := protocol.Marshal(&diagnostics[i])
		if err != nil {
			panic(err)
		}
		h.Write(body)
		h.Write([]byte{0})
	}
	return [sha256.Size]byte(h.Sum(nil))
}
