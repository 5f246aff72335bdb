package memory

import (
	"encoding/hex"
	"strings"
)

// Hash is a SHA-256 of text or bytes. The zero Hash means "none".
type Hash [32]byte

// String returns the written form, "sha256:" and 64 hex digits (M26).
func (h Hash) String() string { return "sha256:" + hex.EncodeToString(h[:]) }

// ParseHash reads the written form; the prefix may be absent.
func ParseHash(s string) (h Hash, ok bool) {
	s = strings.TrimPrefix(s, "sha256:")
	if len(s) != 2*len(h) {
		return Hash{}, false
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, false
	}
	return h, true
}

// Span is a half-open range of byte offsets in a file, BOM included.
type Span struct{ Start, End int }

// Problem is one thing a file does against the format (format.md §2-§3). Its
// fields are the facts; the words are made by the diagnostics room.
type Problem struct {
	// Code is the public name, such as "mark-position".
	Code string
	// Subject is the element, attribute or meta name the problem is about.
	Subject string
	// Value is the offending value, Element the element that carries an
	// offending attribute, Type the memory type of a task-status-forbidden.
	// Each is empty where the code has none.
	Value, Element, Type string
	// Count is how many were found, for the codes that count.
	Count int

	at anchor
}

// Link is a <link rel="memhtml-REL" href="/path"> of the head.
type Link struct {
	// Rel is the relation without its prefix, '-' read as '_'.
	Rel string
	// Href is the attribute as written.
	Href string

	at anchor
}

// Target returns the root-relative path the href names: cut at '?' or '#',
// taken literally; alternate is its percent-decoded form when that differs,
// else "". Both are empty when the href leaves the root (format.md §2).
func (l Link) Target() (literal, alternate string) { return linkTarget(l.Href) }

// Metas are the memhtml- metas of a head, read as the format reads them. A
// string is empty when the meta is absent; Has tells absent from empty.
type Metas struct {
	Type, Status, Created, Updated  string
	Confidence                      *float64
	Importance                      *int
	Reprieves                       *int64
	ContentHash                     string
	Author, Session, Prompt, Turn   string
	ValidFrom, ValidUntil, Archived string
	SupersededBy                    string
	NeedsRevision                   bool
	TaskStatus, Due                 string
	Entities, Tags, Aliases         []string

	// present has bit i for writeOrder[i].
	present uint32
}

// Has reports whether the head has a meta of that full name, even an empty one.
func (m Metas) Has(name string) bool {
	rank, known := metaRank(name)
	return known && m.present&(1<<rank) != 0
}

// Facet is one <dt>/<dd> pair of a <dl>. Number is the first finite
// <data value> in the dd.
type Facet struct {
	Term, Text string
	Number     *float64
}

// Citation is the text of a <cite> or <q>. Href is the cite attribute of a <q>,
// nil where there is none.
type Citation struct {
	Text string
	Href *string
}

// Document is what the bytes of one memory file say. It is a value: nothing in
// it changes after Parse. It keeps the source and the tree, so it is dropped
// once a corpus entry has been made from it.
type Document struct {
	Source []byte
	Title  string
	Metas  Metas
	// Gist is the claim (format.md §3), empty when the mark has no text.
	Gist string
	// Canonical is the canonical text of the article (format.md §4) and
	// ContentHash its hash.
	Canonical   string
	ContentHash Hash
	// NormalHash is the hash of the second tier (W1): canonical text in NFC,
	// every Unicode whitespace run one space, trimmed. It is zero when HasPre,
	// that is when the article has a <pre>, where the second tier does not apply.
	NormalHash Hash
	HasPre     bool
	// EventAt is the datetime of the first <time> of the article.
	EventAt   string
	Links     []Link
	Facets    []Facet
	Citations []Citation
	// DefinedTerms to Captions are the non-empty texts of <dfn>, <summary>,
	// <aside> and <figcaption>, in document order.
	DefinedTerms, Summaries, Asides, Captions []string
	// CodeLangs are the data-lang of <code>, lower-cased; Abbreviations the
	// titles of <abbr>.
	CodeLangs, Abbreviations []string
	BodyText                 string

	// Violations refuse the file, Warnings do not; both are in the order of
	// format.md §3. Dropped are the optional metas whose value was malformed
	// and therefore ignored, as code "optional-meta-dropped".
	Violations, Warnings, Dropped []Problem

	tree *tree
}

// Accepted reports whether the file has no violation.
func (d *Document) Accepted() bool { return len(d.Violations) == 0 }
