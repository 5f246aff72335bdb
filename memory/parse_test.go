package memory

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memhtml-ls/memhtml-ls/frame"
)

// documentRow is a row of documents.jsonl.
type documentRow struct {
	File         string
	Parser       string
	SourceDefect string `json:"source_defect"`
	Expect       documentExpect
}

type documentExpect struct {
	ContentHash   *string
	CanonicalText *string
	Violations    *[]rowProblem
	Warnings      *[]rowProblem
	Accepted      *bool
	Doc           *rowDoc
}

type rowProblem struct {
	Code, Subject, Element, Type, Value string
	Count                               int
}

type rowLink struct{ Rel, Href string }

type rowFacet struct {
	Name, Value  string
	NumericValue *float64
}

type rowDoc struct {
	Title      string
	MemoryType string
	Metas      rowMetas
	Gist       *string
	FrameKey   *string
	EventAt    *string
	Links      []rowLink
	Facets     []rowFacet
	Citations  []Citation

	Entities, Tags, Aliases, DefinedTerms, SummaryTexts, AsideTexts []string
	Captions, CodeLangs, Abbreviations                              []string
	BodyText                                                        *string
}

type rowMetas struct {
	MemoryType, Status, CreatedAt, UpdatedAt           *string
	Confidence                                         *float64
	Importance                                         *int
	Reprieves                                          *int64
	ContentHash, Author, SessionID, PromptID, TurnUUID *string
	ValidFrom, ValidUntil, ArchivedAt, SupersededBy    *string
	NeedsRevision                                      *bool
	TaskStatus, DueAt                                  *string
}

func TestDocuments(t *testing.T) {
	eachRow(t, "documents.jsonl", func(t *testing.T, row documentRow) {
		src, err := os.ReadFile(filepath.Join(conformanceDir(t), "documents", row.File))
		if err != nil {
			t.Fatal(err)
		}
		d := Parse(src)
		switch {
		case row.Parser == "too-deep":
			checkTooDeep(t, d)
		case row.Parser == "select":
			checkHead(t, d, row.Expect)
		case row.SourceDefect == "bom":
			checkBOM(t, src, d)
		case row.SourceDefect == "hash-outside-article":
			checkArticleSlash(t, d, row.Expect)
		default:
			checkDocument(t, d, row.Expect)
		}
	})
}

func checkTooDeep(t *testing.T, d *Document) {
	t.Helper()
	if diff := cmp.Diff([]rowProblem{{Code: "too-deep"}}, problemsOf(d.Violations)); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if len(d.Warnings) > 0 {
		t.Errorf("warnings = %v, want none", problemsOf(d.Warnings))
	}
}

// checkHead checks what the content of a <select> cannot change.
func checkHead(t *testing.T, d *Document, want documentExpect) {
	t.Helper()
	if want.Doc != nil {
		if diff := cmp.Diff(want.Doc.Title, d.Title); diff != "" {
			t.Errorf("title (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want.Doc.Metas, metasOf(d.Metas)); diff != "" {
			t.Errorf("metas (-want +got):\n%s", diff)
		}
	}
	if d.ContentHash != hashOf(d.Canonical) {
		t.Errorf("ContentHash = %s is not that of %q", d.ContentHash, d.Canonical)
	}
}

// checkBOM: a file with one BOM is accepted like its twin without.
func checkBOM(t *testing.T, src []byte, d *Document) {
	t.Helper()
	if !d.Accepted() {
		t.Errorf("violations = %v, want none", problemsOf(d.Violations))
	}
	twin := Parse(src[len(bom):])
	ignore := cmpopts.IgnoreFields(Document{}, "Source", "tree")
	options := cmp.Options{ignore, cmpopts.IgnoreUnexported(Problem{}, Link{}, Metas{})}
	if diff := cmp.Diff(twin, d, options); diff != "" {
		t.Errorf("differs from the twin without BOM (-without +with):\n%s", diff)
	}
}

// checkArticleSlash: "<article/>" opens an article, and the hash is of it.
func checkArticleSlash(t *testing.T, d *Document, want documentExpect) {
	t.Helper()
	want.ContentHash, want.CanonicalText = nil, nil
	checkDocument(t, d, want)
	if d.Canonical != d.BodyText || d.ContentHash != hashOf(d.BodyText) {
		t.Errorf("Canonical = %q, want the article alone: %q", d.Canonical, d.BodyText)
	}
}

func checkDocument(t *testing.T, d *Document, want documentExpect) {
	t.Helper()
	check(t, "contentHash", want.ContentHash, d.ContentHash.String())
	check(t, "canonicalText", want.CanonicalText, d.Canonical)
	check(t, "violations", want.Violations, problemsOf(d.Violations))
	check(t, "warnings", want.Warnings, problemsOf(d.Warnings))
	check(t, "accepted", want.Accepted, d.Accepted())
	if want.Doc != nil && d.Accepted() {
		checkFacts(t, d, want.Doc)
	}
}

func check[T any](t *testing.T, name string, want *T, got T) {
	t.Helper()
	if want == nil {
		return
	}
	if diff := cmp.Diff(*want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func checkFacts(t *testing.T, d *Document, want *rowDoc) {
	t.Helper()
	check(t, "title", &want.Title, d.Title)
	check(t, "memoryType", &want.MemoryType, d.Metas.Type)
	check(t, "metas", &want.Metas, metasOf(d.Metas))
	check(t, "gist", want.Gist, d.Gist)
	var key *string
	if f, ok := frame.Of(d.Gist); ok {
		key = &f.Key
	}
	check(t, "frameKey", &want.FrameKey, key)
	event := ""
	if want.EventAt != nil {
		event = *want.EventAt
	}
	check(t, "eventAt", &event, d.EventAt)
	var links []rowLink
	for _, l := range d.Links {
		links = append(links, rowLink{l.Rel, l.Href})
	}
	check(t, "links", &want.Links, links)
	var facets []rowFacet
	for _, f := range d.Facets {
		facets = append(facets, rowFacet{f.Term, f.Text, f.Number})
	}
	check(t, "facets", &want.Facets, facets)
	check(t, "citations", &want.Citations, d.Citations)
	check(t, "entities", &want.Entities, d.Metas.Entities)
	check(t, "tags", &want.Tags, d.Metas.Tags)
	check(t, "aliases", &want.Aliases, d.Metas.Aliases)
	check(t, "definedTerms", &want.DefinedTerms, d.DefinedTerms)
	check(t, "summaryTexts", &want.SummaryTexts, d.Summaries)
	check(t, "asideTexts", &want.AsideTexts, d.Asides)
	check(t, "captions", &want.Captions, d.Captions)
	check(t, "codeLangs", &want.CodeLangs, d.CodeLangs)
	check(t, "abbreviations", &want.Abbreviations, d.Abbreviations)
	check(t, "bodyText", want.BodyText, d.BodyText)
}

func problemsOf(problems []Problem) []rowProblem {
	rows := []rowProblem{}
	for _, p := range problems {
		rows = append(rows, rowProblem{p.Code, p.Subject, p.Element, p.Type, p.Value, p.Count})
	}
	return rows
}

func metasOf(m Metas) rowMetas {
	text := func(name string) *string {
		if field := m.text(name); m.Has(name) {
			return field
		}
		return nil
	}
	row := rowMetas{
		MemoryType: text("memhtml-type"), Status: text("memhtml-status"),
		CreatedAt: text("memhtml-created"), UpdatedAt: text("memhtml-updated"),
		Confidence: m.Confidence, Importance: m.Importance, Reprieves: m.Reprieves,
		ContentHash: text("memhtml-content-hash"), Author: text("memhtml-author"),
		SessionID: text("memhtml-session"), PromptID: text("memhtml-prompt"), TurnUUID: text("memhtml-turn"),
		ValidFrom: text("memhtml-valid-from"), ValidUntil: text("memhtml-valid-until"),
		ArchivedAt: text("memhtml-archived"), SupersededBy: text("memhtml-superseded-by"),
		TaskStatus: text("memhtml-task-status"), DueAt: text("memhtml-due"),
	}
	if m.Has("memhtml-needs-revision") {
		row.NeedsRevision = &m.NeedsRevision
	}
	return row
}
