package memory

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"
)

// textWriter collects the text of a walk in two forms at once. flat has every
// run of ASCII whitespace collapsed: the texts of elements are slices of it.
// canonical is the canonical text of format.md §4, which differs from flat only
// where there is a <pre> and is therefore nil until the first one.
type textWriter struct {
	flat, canonical []byte
	pre             int
	// spaced says that the collapsible segment at the end of canonical ends in
	// a space; verbatim that the segment there is verbatim.
	spaced, verbatim bool
}

func (w *textWriter) enter(n *html.Node) {
	if n.Type == html.TextNode {
		w.text(n.Data)
		return
	}
	if n.Type != html.ElementNode {
		return
	}
	w.edge(n)
	if n.Data == "pre" {
		w.pre++
	}
}

func (w *textWriter) leave(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	if n.Data == "pre" {
		w.pre--
	}
	w.edge(n)
}

// edge writes the collapsible space of a block element, inside a <pre> too.
func (w *textWriter) edge(n *html.Node) {
	if traits[n.DataAtom]&inline == 0 {
		w.collapsible(" ")
	}
}

func (w *textWriter) text(s string) {
	if w.pre == 0 {
		w.collapsible(s)
		return
	}
	if w.canonical == nil {
		w.fork()
	}
	w.canonical, w.verbatim = append(w.canonical, s...), true
	w.flat = appendCollapsed(w.flat, s, endsInSpace(w.flat))
}

// fork begins canonical with what was collected so far. A space at the very
// start goes: only a leading collapsible segment is trimmed.
func (w *textWriter) fork() {
	w.canonical = make([]byte, 0, 2*len(w.flat)+256)
	w.canonical = append(w.canonical, strings.TrimPrefix(string(w.flat), " ")...)
}

func (w *textWriter) collapsible(s string) {
	w.flat = appendCollapsed(w.flat, s, endsInSpace(w.flat))
	if w.canonical == nil || s == "" {
		return
	}
	if w.verbatim {
		w.verbatim, w.spaced = false, false
	}
	before := len(w.canonical)
	w.canonical = appendCollapsed(w.canonical, s, w.spaced)
	if len(w.canonical) > before {
		w.spaced = endsInSpace(w.canonical)
	}
}

// canonicalText is the canonical text of all that was written.
func (w *textWriter) canonicalText() []byte {
	space := []byte(" ")
	if w.canonical == nil {
		return bytes.TrimSuffix(bytes.TrimPrefix(w.flat, space), space)
	}
	if w.verbatim {
		return w.canonical
	}
	return bytes.TrimSuffix(w.canonical, space)
}

func endsInSpace(b []byte) bool { return len(b) > 0 && b[len(b)-1] == ' ' }

// appendCollapsed appends s with runs of ASCII whitespace made one space; a run
// at its start is dropped when spaced says that one was already written.
func appendCollapsed(b []byte, s string, spaced bool) []byte {
	start := 0
	for i := range len(s) {
		if !isASCIISpace(s[i]) {
			spaced = false
			continue
		}
		b = append(b, s[start:i]...)
		if !spaced {
			b = append(b, ' ')
		}
		spaced, start = true, i+1
	}
	return append(b, s[start:]...)
}

// textOf is the text of one element, collapsed and trimmed.
func textOf(n *html.Node) string {
	var w textWriter
	walk(n, w.enter, w.leave)
	return trim(string(w.flat))
}

// gistOf is the claim that a mark states: its text without <pre> and <code>,
// because a command line is never the claim.
func gistOf(mark *html.Node) string {
	var w textWriter
	code := 0
	walk(mark, func(n *html.Node) {
		if isCode(n) {
			code++
		}
		if code == 0 {
			w.enter(n)
		}
	}, func(n *html.Node) {
		if code == 0 {
			w.leave(n)
		}
		if isCode(n) {
			code--
		}
	})
	return trim(string(w.flat))
}

func isCode(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.Data == "pre" || n.Data == "code")
}

// hashOf is the hash of a text.
func hashOf(text string) Hash { return sha256.Sum256([]byte(text)) }

// normalText is the second tier of sameness (W1): NFC, every run of Unicode
// whitespace one space, trimmed.
func normalText(canonical string) string {
	if isPlain(canonical) {
		return canonical
	}
	fields := slices.Collect(strings.FieldsFuncSeq(norm.NFC.String(canonical), isSpace))
	return strings.Join(fields, " ")
}

// isPlain reports that a canonical text without <pre> is its own normal text:
// ASCII, with no whitespace but the spaces already collapsed.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '\v' {
			return false
		}
	}
	return true
}
