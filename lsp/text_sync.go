package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/uri"

	"github.com/memhtml-ls/memhtml-ls/internal/position"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// wirePosition and wireRange are a position and a range as a client may send
// them: what is not a number in range is 0, since other extensions' data ends
// up here too.
type (
	wirePosition struct{ Line, Character wireNumber }
	wireRange    struct{ Start, End wirePosition }
	wireNumber   uint32
)

// UnmarshalJSON implements json.Unmarshaler.
func (n *wireNumber) UnmarshalJSON(body []byte) error {
	value := uint64(0)
	for _, c := range body {
		if c < '0' || c > '9' {
			*n = 0
			return nil
		}
		value = min(value*10+uint64(c-'0'), 1<<32-1)
	}
	*n = wireNumber(value)
	return nil
}

func (p wirePosition) position() position.Position {
	return position.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}

// canonical is the form in which two spellings of one uri are equal.
func canonical(spelling string) string {
	u, err := uri.Parse(spelling)
	if err != nil {
		return spelling
	}
	return u.String()
}

// speaksHTML reports whether a document of a language can be a memory; an
// editor may call html by one of its template languages.
func speaksHTML(language string) bool {
	return language == "" || strings.Contains(strings.ToLower(language), "html")
}

// didOpen takes in a document. What is not a local html file is ignored.
func (s *server) didOpen(_ context.Context, params []byte) error {
	var p struct {
		TextDocument struct {
			URI, LanguageID, Text string
			Version               int32
		}
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	item := p.TextDocument
	path, ok := pathOf(item.URI)
	if !ok {
		s.log.Debug("not a local file", "uri", item.URI)
		return nil
	}
	d := &document{uri: item.URI, key: realPath(path), version: item.Version, text: []byte(item.Text), foreign: !speaksHTML(item.LanguageID)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openedLocked(d)
	return nil
}

// openedLocked files a document and lets it enter its root, or starts to look
// for one. Caller holds s.mu.
func (s *server) openedLocked(d *document) {
	s.closedLocked(s.documents[d.uri])
	s.openings++
	d.opened = s.openings
	s.documents[d.uri] = d
	if holder := s.holders[d.key]; holder != nil {
		// The same file by another name: the first one speaks for it, and this one
		// may have unsaved changes too.
		s.changedLocked(holder)
		return
	}
	s.names.file(d.key, d.uri)
	if d.foreign {
		s.diagnoser.mute(d.key, true)
		return
	}
	s.holdLocked(d)
	if d.root == nil {
		s.diagnoser.alone(d.key)
	}
	// In a root that is open there may be another one, which has the file then.
	s.start("find a root", func(ctx context.Context) { s.openRootOf(ctx, d.key) })
}

// holdLocked makes a document the one that speaks for its file. Caller holds
// s.mu.
func (s *server) holdLocked(d *document) {
	s.holders[d.key] = d
	s.names.file(d.key, d.uri)
	s.assignLocked(d)
}

// didChange applies changes in order. A change without a range, or with a null
// one, is the whole text.
func (s *server) didChange(_ context.Context, params []byte) error {
	var p struct {
		TextDocument struct {
			URI     string
			Version int32
		}
		ContentChanges []struct {
			Range *wireRange
			Text  string
		}
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documentLocked(p.TextDocument.URI)
	if d == nil {
		s.log.Debug("a change of a document that is not open", "uri", p.TextDocument.URI)
		return nil
	}
	for _, change := range p.ContentChanges {
		if change.Range == nil {
			d.text = d.whole(change.Text)
		} else {
			d.splice(*change.Range, change.Text, s.capabilities.encoding)
		}
	}
	d.version = p.TextDocument.Version
	s.changedLocked(d)
	return nil
}

// changedLocked lets a changed document enter, as its own text or beside that of
// the one that speaks for its file. Caller holds s.mu.
func (s *server) changedLocked(d *document) {
	d = s.holders[d.key]
	switch {
	case d == nil:
	case d.root == nil:
		s.diagnoser.alone(d.key)
	case d.root.fed:
		s.diagnoser.typed(d.key, s.rest(d.root))
		d.root.Edit(s.modificationLocked(d, session.Changed))
	}
}

// didSave has the file read again from disk: what was saved need not be what the
// buffer holds.
func (s *server) didSave(ctx context.Context, params []byte) error {
	var p namedDocument
	if err := decode(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	d := s.documentLocked(p.TextDocument.URI)
	s.mu.Unlock()
	if d == nil {
		return nil
	}
	s.diagnoser.settled()
	s.reread(ctx, []string{d.key}, session.Saved)
	return nil
}

// namedDocument are params that name one document.
type namedDocument struct{ TextDocument struct{ URI string } }

// didClose lets the disk speak from now on: what was last read of it at once,
// and what it is now as soon as that was read.
func (s *server) didClose(ctx context.Context, params []byte) error {
	var p namedDocument
	if err := decode(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	d := s.documentLocked(p.TextDocument.URI)
	s.closedLocked(d)
	s.mu.Unlock()
	if d != nil {
		s.reread(ctx, []string{d.key}, session.Touched)
	}
	return nil
}

// closedLocked drops a document, if there is one; another document of the same
// file takes over. Caller holds s.mu.
func (s *server) closedLocked(d *document) {
	if d == nil {
		return
	}
	delete(s.documents, d.uri)
	if d.foreign {
		s.diagnoser.mute(d.key, false)
	}
	if s.holders[d.key] != d {
		s.changedLocked(d)
		return
	}
	delete(s.holders, d.key)
	if d.root != nil && d.root.fed {
		d.root.Edit(s.modificationLocked(d, session.Closed))
	}
	// Of a document whose file is gone the session has nothing to tell.
	s.diagnoser.again([]string{d.key})
	for _, other := range s.documents {
		if other.key == d.key && !other.foreign {
			s.holdLocked(other)
			return
		}
	}
}
