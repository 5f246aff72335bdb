package diagnostics

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// FuzzFind: whatever the bytes of a file and of the incumbent it is compared
// with, every finding is of the catalogue, lies inside the file and says one
// line that can be shown.
func FuzzFind(f *testing.F) {
	for _, e := range Catalog() {
		if _, parts := split(e.Example); len(parts) > 0 && len(parts[0].text) < 4096 {
			f.Add([]byte(parts[0].text), []byte(parts[len(parts)-1].text))
		}
	}
	f.Add([]byte("<mark>The \xff\u202e is\x01 x"), []byte("<article><p onx\u2028=1><mark>a\x00b"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a, b := memory.Parse(first), memory.Parse(second)
		docs := map[string]*memory.Document{"areas/a.html": a, "areas/b.html": b}
		snap := index.Build([]*index.File{index.FromDocument("areas/a.html", a), index.FromDocument("areas/b.html", b)})
		for f := range snap.All() {
			in := Input{Snapshot: snap, File: f, Document: docs[f.Path], Claim: claims(docs), Options: Options{Mirror: MirrorHint}}
			for _, found := range Find(in) {
				checkFinding(t, found, docs)
			}
		}
	})
}

func checkFinding(t *testing.T, f Finding, docs map[string]*memory.Document) {
	t.Helper()
	if e, ok := Lookup(f.Code); !ok || f.Severity < e.Severity {
		t.Errorf("%s %s is not of the catalogue", f.Severity, f.Code)
	}
	places := append([]Related{{Path: f.Path, Span: f.Span, Message: f.Message}}, f.Related...)
	for _, p := range places {
		if size := len(docs[p.Path].Source); p.Span.Start < 0 || p.Span.End < p.Span.Start || p.Span.End > size {
			t.Errorf("%s: span %v in %d bytes of %s", f.Code, p.Span, size, p.Path)
		}
		if !utf8.ValidString(p.Message) || Shown(p.Message) != p.Message || strings.ContainsAny(p.Message, "\n\r") {
			t.Errorf("%s: the message %q cannot be shown", f.Code, p.Message)
		}
	}
}
