package fakeeditor

import (
	"encoding/json"
	"os"
	"strings"
)

// buffer is an open document.
type buffer struct {
	uri, path, text string
	version         int
}

// Buffer returns the text and version of an open document.
func (e *Editor) Buffer(path string) (text string, version int) {
	e.t.Helper()
	e.mu.Lock()
	b := e.bufferLocked(path)
	text, version = b.text, b.version
	e.mu.Unlock()
	return text, version
}

// bufferLocked finds an open document by path or uri. Caller holds e.mu, which
// is let go of before the test fails.
func (e *Editor) bufferLocked(path string) *buffer {
	e.t.Helper()
	if b := e.buffers[URI(path)]; b != nil {
		return b
	}
	e.mu.Unlock()
	e.t.Fatalf("%s is not open", path)
	return nil
}

// Open opens the file at an absolute path as html.
func (e *Editor) Open(path string) {
	e.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	e.OpenText(path, "html", strings.TrimPrefix(string(text), "\ufeff"))
}

// OpenText opens a document with the given text; where is a path or a uri.
func (e *Editor) OpenText(where, language, text string) {
	e.t.Helper()
	b := &buffer{uri: URI(where), path: where, text: text, version: 1}
	e.mu.Lock()
	e.buffers[b.uri] = b
	e.mu.Unlock()
	e.Notify("textDocument/didOpen", Object{"textDocument": Object{
		"uri": b.uri, "languageId": language, "version": b.version, "text": text,
	}})
	e.pull(b.uri)
}

// Replace changes the only occurrence of old in an open document to new, sent
// as one incremental change.
func (e *Editor) Replace(path, old, new string) {
	e.t.Helper()
	text, _ := e.Buffer(path)
	if n := strings.Count(text, old); n != 1 {
		e.t.Fatalf("%q occurs %d times in %s", old, n, path)
	}
	e.Splice(path, strings.Index(text, old), len(old), new)
}

// Splice replaces n bytes at offset of an open document, sent as one
// incremental change.
func (e *Editor) Splice(path string, offset, n int, text string) {
	e.t.Helper()
	e.mu.Lock()
	b := e.bufferLocked(path)
	r := Range{positionAt(b.text, offset, e.encoding), positionAt(b.text, offset+n, e.encoding)}
	b.text = b.text[:offset] + text + b.text[offset+n:]
	change := e.nextChangeLocked(b, Object{"range": r, "text": text})
	e.mu.Unlock()
	e.Notify("textDocument/didChange", change)
	e.pull(URI(path))
}

// Change sends changes of an open document as they are; text is what the client
// holds after them.
func (e *Editor) Change(path, text string, changes ...Object) {
	e.t.Helper()
	e.mu.Lock()
	b := e.bufferLocked(path)
	b.text = text
	change := e.nextChangeLocked(b, changes...)
	e.mu.Unlock()
	e.Notify("textDocument/didChange", change)
	e.pull(URI(path))
}

// SetText replaces a whole open document, sent as a full change.
func (e *Editor) SetText(path, text string) {
	e.t.Helper()
	e.Change(path, text, Object{"text": text})
}

// nextChangeLocked counts the version up and wraps changes. Caller holds e.mu.
func (e *Editor) nextChangeLocked(b *buffer, changes ...Object) Object {
	b.version++
	return Object{"textDocument": Object{"uri": b.uri, "version": b.version}, "contentChanges": changes}
}

// Save writes an open document to its file and tells the server.
func (e *Editor) Save(path string) {
	e.t.Helper()
	text, _ := e.Buffer(path)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.Notify("textDocument/didSave", Object{"textDocument": Object{"uri": URI(path)}})
}

// Close closes an open document.
func (e *Editor) Close(path string) {
	e.t.Helper()
	e.mu.Lock()
	last := e.forgetLocked(URI(path))
	delete(e.buffers, URI(path))
	e.mu.Unlock()
	e.sendLater(last)
	e.Notify("textDocument/didClose", Object{"textDocument": Object{"uri": URI(path)}})
}

// RangeOf returns where the only occurrence of part stands in an open document.
func (e *Editor) RangeOf(path, part string) Range {
	e.t.Helper()
	text, _ := e.Buffer(path)
	if n := strings.Count(text, part); n != 1 {
		e.t.Fatalf("%q occurs %d times in %s", part, n, path)
	}
	at := strings.Index(text, part)
	return Range{positionAt(text, at, e.Encoding()), positionAt(text, at+len(part), e.Encoding())}
}

// TextAt returns what stands at a range of text, and false when the range is
// not one of the text exactly.
func (e *Editor) TextAt(text string, r Range) (string, bool) {
	encoding := e.Encoding()
	start, ok := offsetAt(text, r.Start, encoding)
	end, ok2 := offsetAt(text, r.End, encoding)
	if !ok || !ok2 || end < start {
		return "", false
	}
	return text[start:end], true
}

// Watched tells the server that files changed on disk: 1 created, 2 changed, 3
// deleted.
func (e *Editor) Watched(kind int, paths ...string) {
	e.t.Helper()
	var changes []Object
	for _, path := range paths {
		changes = append(changes, Object{"uri": URI(path), "type": kind})
	}
	e.Notify("workspace/didChangeWatchedFiles", Object{"changes": changes})
}

// Publication is one publishDiagnostics.
type Publication struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is one finding as published.
type Diagnostic struct {
	Range           Range           `json:"range"`
	Severity        int             `json:"severity"`
	Code            string          `json:"code"`
	CodeDescription json.RawMessage `json:"codeDescription,omitempty"`
	Source          string          `json:"source"`
	Message         string          `json:"message"`
	Related         []Related       `json:"relatedInformation,omitempty"`
	Data            json.RawMessage `json:"data,omitempty"`
}

// Related is another place that explains a finding.
type Related struct {
	Location struct {
		URI   string `json:"uri"`
		Range Range  `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

// filePublicationLocked keeps a publication and holds it against the protocol:
// the version of an open document is never ahead of the buffer. Caller holds
// e.mu.
func (e *Editor) filePublicationLocked(m message) {
	if m.Method != "textDocument/publishDiagnostics" {
		return
	}
	if e.puller != nil {
		e.fatal("findings are asked for and pushed: each would show twice")
	}
	var p Publication
	if err := json.Unmarshal(m.Params, &p); err != nil || p.Diagnostics == nil {
		e.fatal("bad publication %s: %v", m.Params, err)
		return
	}
	if b := e.buffers[p.URI]; b != nil && p.Version != nil && *p.Version > b.version {
		e.fatal("published for version %d of %s, which is at %d", *p.Version, p.URI, b.version)
	}
	e.published[p.URI] = append(e.published[p.URI], p)
}

// Publications returns all publications of a path or uri, oldest first.
func (e *Editor) Publications(where string) []Publication {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.published[URI(where)]
}

// PublicationCount returns the number of publications of all documents.
func (e *Editor) PublicationCount() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, all := range e.published {
		n += len(all)
	}
	return n
}

// Diagnostics returns what a path or uri shows now.
func (e *Editor) Diagnostics(where string) []Diagnostic {
	all := e.Publications(where)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1].Diagnostics
}

// Shown returns what every file with findings shows now, by uri.
func (e *Editor) Shown() map[string][]Diagnostic {
	e.mu.Lock()
	defer e.mu.Unlock()
	shown := map[string][]Diagnostic{}
	for uri, all := range e.published {
		if last := all[len(all)-1]; len(last.Diagnostics) > 0 {
			shown[uri] = last.Diagnostics
		}
	}
	return shown
}

// Codes returns the codes of what a path shows now, in order.
func (e *Editor) Codes(where string) []string {
	codes := []string{}
	for _, d := range e.Diagnostics(where) {
		codes = append(codes, d.Code)
	}
	return codes
}

// WaitCodes waits until a path shows exactly these codes, in order; for none
// there must have been a publication.
func (e *Editor) WaitCodes(where string, codes ...string) {
	e.t.Helper()
	want := strings.Join(codes, " ")
	e.Wait("codes ["+want+"] at "+where, func() bool {
		return len(e.Publications(where)) > 0 && strings.Join(e.Codes(where), " ") == want
	})
}

// WaitVersion waits for a publication of the buffer's present version.
func (e *Editor) WaitVersion(path string) []Diagnostic {
	e.t.Helper()
	_, version := e.Buffer(path)
	e.Wait("findings of the present version of "+path, func() bool {
		all := e.Publications(path)
		last := len(all) - 1
		return last >= 0 && all[last].Version != nil && *all[last].Version == version
	})
	return e.Diagnostics(path)
}
