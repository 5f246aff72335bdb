package session

import (
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// CheckAlone returns the findings of a text that belongs to no root: those of
// the format, and only if it means to be a memory, which a memhtml- meta or
// link says. Any other HTML has none (D4).
func CheckAlone(text []byte, options diagnostics.Options) []diagnostics.Finding {
	if len(text) > memory.MaxSize || !strings.Contains(string(text), "memhtml-") {
		return nil
	}
	doc := memory.Parse(text)
	if !meansMemory(doc) {
		return nil
	}
	return diagnostics.Find(diagnostics.Input{File: index.FromDocument("", doc), Document: doc, Options: options})
}

// meansMemory looks for a meta or link of the format.
func meansMemory(doc *memory.Document) bool {
	for _, element := range doc.Spans().Elements() {
		name := map[string]string{"meta": "name", "link": "rel"}[element.Name]
		for _, attr := range element.Attrs {
			if name != "" && attr.Name == name && strings.HasPrefix(text(doc, attr.ValueSpan), "memhtml-") {
				return true
			}
		}
	}
	return false
}

func text(doc *memory.Document, span memory.Span) string {
	return string(doc.Source[span.Start:span.End])
}
