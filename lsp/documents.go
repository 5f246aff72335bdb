package lsp

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/internal/position"
	"github.com/memhtml-ls/memhtml-ls/session"
)

var byteOrderMark = []byte("\ufeff")

// document is one open document of the client. Its fields are guarded by
// server.mu; text is replaced, never changed.
type document struct {
	// uri is the client's spelling, key the file's real path.
	uri, key string
	// root holds the file, at path; nil outside every root.
	root *root
	path string
	// foreign says that it was opened as something that is not html; then it
	// shows nothing, and no memory speaks for its file.
	foreign bool
	// opened orders documents by when they were opened.
	opened  int
	version int32
	// text is what the file would be if it were saved now: a byte order mark
	// that the client keeps to itself is in front of it.
	text []byte
	// hidesMark says that the client does not count the mark.
	hidesMark bool
}

// mapper maps the document's text as the client counts it.
func (d *document) mapper(enc position.Encoding) *position.Mapper {
	if d.hidesMark {
		return position.NewSaved(d.text, enc)
	}
	return position.New(d.text, enc)
}

// modificationLocked is what the session is told about a document. Caller holds
// s.mu.
func (s *server) modificationLocked(d *document, kind session.Kind) session.Modification {
	mod := session.Modification{Kind: kind, Path: d.path, Text: d.text, Version: d.version}
	for _, other := range s.documents {
		if other == d || other.key != d.key {
			continue
		}
		text := other.text
		if d.hidesMark && !bytes.HasPrefix(text, byteOrderMark) {
			text = slices.Concat(byteOrderMark, text)
		}
		mod.Others = append(mod.Others, text)
	}
	return mod
}

// documentLocked finds an open document by the client's spelling: the one that
// was opened by it, else the newest that was opened by another spelling of the
// same uri. Caller holds s.mu.
func (s *server) documentLocked(spelling string) (found *document) {
	if d := s.documents[spelling]; d != nil {
		return d
	}
	name := canonical(spelling)
	for _, d := range s.documents {
		if canonical(d.uri) == name && (found == nil || d.opened > found.opened) {
			found = d
		}
	}
	return found
}

// whole is the text of a whole document as the file would hold it.
func (d *document) whole(text string) []byte {
	if d.hidesMark {
		return slices.Concat(byteOrderMark, []byte(text))
	}
	return []byte(text)
}

// splice applies one incremental change. Positions past an end are moved to it.
func (d *document) splice(r wireRange, text string, enc position.Encoding) {
	m := d.mapper(enc)
	start := m.Offset(r.Start.position())
	end := max(start, m.Offset(r.End.position()))
	d.text = slices.Concat(d.text[:start], []byte(text), d.text[end:])
}

// assignLocked finds the root of a document. Caller holds s.mu.
func (s *server) assignLocked(d *document) {
	r, path := s.rootOfLocked(d.key)
	if r == d.root || s.holders[d.key] != d {
		return
	}
	if d.root != nil && d.root.fed {
		d.root.Edit(session.Modification{Kind: session.Closed, Path: d.path})
	}
	d.root, d.path = r, path
	if r != nil && r.fed {
		s.enterLocked(d)
	}
}

// enterLocked lets an opened document enter its root's session, and answers it.
// Caller holds s.mu.
func (s *server) enterLocked(d *document) {
	s.enterUnansweredLocked(d)
	s.diagnoser.owe(d)
}

// enterUnansweredLocked is enterLocked for a document that has had its answer, or
// waits for it. Caller holds s.mu.
func (s *server) enterUnansweredLocked(d *document) {
	if disk, err := d.root.View().Text(d.path); err == nil && !d.hidesMark {
		d.hidesMark = bytes.HasPrefix(disk, byteOrderMark) && !bytes.HasPrefix(d.text, byteOrderMark)
		if d.hidesMark {
			d.text = slices.Concat(byteOrderMark, d.text)
		}
	}
	d.root.Edit(s.modificationLocked(d, session.Opened))
}

// inOrderLocked returns the documents of a root in the order of opening.
// Caller holds s.mu.
func (s *server) inOrderLocked(r *root) []*document {
	var all []*document
	for _, d := range s.holders {
		if d.root == r {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *document) int { return cmp.Compare(a.opened, b.opened) })
	return all
}

// documentOf returns a copy of the open document of a real path.
func (s *server) documentOf(key string) (document, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.holders[key]; d != nil {
		return *d, true
	}
	return document{}, false
}
