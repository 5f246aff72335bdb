package examples_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/examples"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// row is a line of the table in corpus/README.md whose second cell is a code.
var row = regexp.MustCompile(`(?m)^\| (\S+\.html) \| ([a-z-]+) \| .+ \|$`)

func TestCorpusReadmeListsEveryFinding(t *testing.T) {
	readme, err := fs.ReadFile(examples.Corpus, "corpus/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, cells := range row.FindAllSubmatch(readme, -1) {
		listed = append(listed, string(cells[1])+" "+string(cells[2]))
	}
	slices.Sort(listed)
	if diff := cmp.Diff(listed, corpusFindings(t)); diff != "" {
		t.Errorf("findings (-listed +found):\n%s", diff)
	}
}

// corpusFindings returns "path code" of every finding of the corpus, sorted.
func corpusFindings(t *testing.T) []string {
	t.Helper()
	documents := corpusDocuments(t)
	var files []*index.File
	for path, document := range documents {
		files = append(files, index.FromDocument(path, document))
	}
	snapshot := index.Build(files)
	var found []string
	for _, file := range files {
		for _, finding := range diagnostics.Find(diagnostics.Input{
			Snapshot: snapshot,
			File:     file,
			Document: documents[file.Path],
			Claim:    func(path string) memory.Span { return documents[path].Spans().Claim() },
			Today:    "2026-12-01",
		}) {
			found = append(found, file.Path+" "+string(finding.Code))
		}
	}
	slices.Sort(found)
	return found
}

// corpusDocuments parses every page of the corpus, by its path in the root.
func corpusDocuments(t *testing.T) map[string]*memory.Document {
	t.Helper()
	corpus, err := fs.Sub(examples.Corpus, "corpus")
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]*memory.Document{}
	err = fs.WalkDir(corpus, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		source, err := fs.ReadFile(corpus, path)
		documents[path] = memory.Parse(source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return documents
}
