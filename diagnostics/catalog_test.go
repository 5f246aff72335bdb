package diagnostics

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

var update = flag.Bool("update", false, "rewrite the expected findings")

// TestExamples finds in the example of each code exactly that code, on the
// last file. Hints on incumbents, which only one example turns on, do not count.
func TestExamples(t *testing.T) {
	told := map[Code]string{}
	for _, e := range Catalog() {
		t.Run(string(e.Code), func(t *testing.T) {
			files, docs := exampleFiles(e.Example)
			snap := compared(t, index.Build(files))
			var got []string
			for _, f := range files {
				in := Input{Snapshot: snap, File: f, Document: docs[f.Path], Claim: claims(docs), Today: "2026-07-01"}
				if e.Code == MoreRelations {
					in.Options.Mirror = MirrorHint
				}
				for _, found := range Find(in) {
					if found.Data.Mirror || e.Code == MoreRelations && f != files[len(files)-1] {
						continue
					}
					got = append(got, f.Path+" "+string(found.Code))
					told[e.Code] = inFull(found, docs)
				}
			}
			want := []string{files[len(files)-1].Path + " " + string(e.Code)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
	compareFindings(t, told)
}

// compared is a snapshot with its claims compared.
func compared(t interface{ Fatal(...any) }, snap *index.Snapshot) *index.Snapshot {
	next, _, err := snap.CompareClaims(context.Background(), nil, index.Work{})
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// claims answers Input.Claim from documents.
func claims(docs map[string]*memory.Document) func(string) memory.Span {
	return func(path string) memory.Span { return docs[path].Spans().Claim() }
}

// inFull renders all of a finding, with the text its spans cover.
func inFull(f Finding, docs map[string]*memory.Document) string {
	var b strings.Builder
	at := func(path string, span memory.Span) string {
		if d := docs[path]; d != nil {
			return fmt.Sprintf("%q", d.Source[span.Start:span.End])
		}
		return "the first byte"
	}
	fmt.Fprintf(&b, "\t%s: %s\n\tat %s\n", f.Severity, f.Message, at(f.Path, f.Span))
	for _, r := range f.Related {
		fmt.Fprintf(&b, "\trelated %s at %s: %s\n", r.Path, at(r.Path, r.Span), r.Message)
	}
	if f.Data != (Data{}) {
		data, _ := json.Marshal(f.Data)
		fmt.Fprintf(&b, "\tdata %s\n", data)
	}
	return b.String()
}

// compareFindings holds the finding of each example against testdata.
func compareFindings(t *testing.T, told map[Code]string) {
	t.Helper()
	var b strings.Builder
	for _, e := range Catalog() {
		fmt.Fprintf(&b, "%s\n%s", e.Code, told[e.Code])
	}
	const name = "testdata/findings.golden"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("findings of the examples (-want +got), -update rewrites them:\n%s", diff)
	}
}

// exampleFiles reads a txtar. A name with {1..n} stands for n files, in which
// {n} is the number. A file of one line in square brackets stands for one that
// could not be taken in.
func exampleFiles(archive string) ([]*index.File, map[string]*memory.Document) {
	var files []*index.File
	docs := map[string]*memory.Document{}
	add := func(path, text string) {
		if reason := strings.TrimSpace(text); strings.HasPrefix(reason, "[") {
			files = append(files, &index.File{Path: path, Unread: strings.Trim(reason, "[]")})
			return
		}
		d := memory.Parse([]byte(text))
		f := index.FromDocument(path, d)
		f.Tracked = true
		files, docs[path] = append(files, f), d
	}
	_, parts := split(archive)
	for _, f := range parts {
		span := braces.FindStringSubmatch(f.name)
		if span == nil {
			add(f.name, f.text)
			continue
		}
		last, _ := strconv.Atoi(span[1])
		for i := 1; i <= last; i++ {
			n := strconv.Itoa(i)
			add(strings.Replace(f.name, span[0], n, 1), strings.ReplaceAll(f.text, "{n}", n))
		}
	}
	return files, docs
}

var braces = regexp.MustCompile(`\{1\.\.(\d+)\}`)

// TestFindingsMakeFlawed ties the flag by which a pass over the corpus skips
// files to what a report on the file alone says.
func TestFindingsMakeFlawed(t *testing.T) {
	for _, e := range Catalog() {
		files, docs := exampleFiles(e.Example)
		for _, f := range files {
			if f.Unread != "" {
				continue
			}
			found := Find(Input{File: f, Document: docs[f.Path]})
			if len(found) > 0 && !f.Flawed {
				t.Errorf("%s, %s: there are %d findings, and the file is not Flawed", e.Code, f.Path, len(found))
			}
		}
	}
}

func TestCodesAreUnique(t *testing.T) {
	seen := map[Code]bool{}
	for _, e := range Catalog() {
		if seen[e.Code] {
			t.Errorf("%s is in the catalogue twice", e.Code)
		}
		seen[e.Code] = true
		if got, ok := Lookup(e.Code); !ok || got.Markdown() != e.Markdown() {
			t.Errorf("Lookup(%s) differs from the catalogue", e.Code)
		}
	}
	if _, ok := Lookup("no-such-code"); ok {
		t.Error("Lookup found a code that is not there")
	}
	entries, err := examples.ReadDir("examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if code := Code(strings.TrimSuffix(e.Name(), ".txtar")); !seen[code] {
			t.Errorf("examples/%s is of no code", e.Name())
		}
	}
}

// TestCatalogueHasEveryFormatCode takes the names from the conformance rows.
func TestCatalogueHasEveryFormatCode(t *testing.T) {
	file, err := os.Open("../memory/testdata/conformance/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	type problem struct{ Code Code }
	rows := bufio.NewScanner(file)
	rows.Buffer(nil, 64<<20)
	seen := 0
	for rows.Scan() {
		var row struct {
			Expect struct{ Violations, Warnings []problem }
		}
		if err := json.Unmarshal(rows.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		for severity, problems := range map[Severity][]problem{Error: row.Expect.Violations, Warning: row.Expect.Warnings} {
			for _, p := range problems {
				seen++
				if e, ok := Lookup(p.Code); !ok || e.Severity != severity || e.say == nil {
					t.Errorf("%s: in the catalogue %v, severity %s, want %s and words", p.Code, ok, e.Severity, severity)
				}
			}
		}
	}
	if err := rows.Err(); err != nil || seen == 0 {
		t.Fatalf("read %d problems: %v", seen, err)
	}
}

var (
	codeForm   = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	codeType   = regexp.MustCompile("`[^`]+`")
	markup     = regexp.MustCompile(`[<>_*]|  |\bmemhtml-`)
	strikeList = regexp.MustCompile(`(?i)\b(simply|just|please|obviously|of course|note that|users?|should)\b`)
)

// TestHouseStyle: plain sentences, no filler, names in code type.
func TestHouseStyle(t *testing.T) {
	for _, e := range Catalog() {
		if !codeForm.MatchString(string(e.Code)) {
			t.Errorf("%q is no code", e.Code)
		}
		if e.Meaning == "" || len(e.Meaning) > 80 || strings.HasSuffix(e.Meaning, ".") {
			t.Errorf("%s: Meaning %q is not one short line without a period", e.Code, e.Meaning)
		}
		comment, _ := split(e.Example)
		comment = strings.TrimSpace(comment)
		prose := map[string]string{"What": e.What, "Why": e.Why, "Fix": e.Fix, "Wrong": e.Wrong, "the example's comment": comment}
		for name, text := range prose {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s does not end in a period: %q", e.Code, name, text)
			}
			if found := markup.FindString(codeType.ReplaceAllString(text, "x")); found != "" {
				t.Errorf("%s: %s has %q outside of code type", e.Code, name, found)
			}
			if found := strikeList.FindString(text); found != "" {
				t.Errorf("%s: %s says %q", e.Code, name, found)
			}
		}
	}
}

// TestPagesAreGenerated compares docs/diagnostics with the catalogue.
func TestPagesAreGenerated(t *testing.T) {
	const dir = "../docs/diagnostics"
	pages := Pages()
	for name, want := range pages {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%v; go generate ./diagnostics writes it", err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is not as generated (-want +got); go generate ./diagnostics:\n%s", name, diff)
		}
	}
	present, err := filepath.Glob(dir + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range present {
		if _, ok := pages[filepath.Base(path)]; !ok {
			t.Errorf("%s is of no code", path)
		}
	}
}

// TestPackageIsPure holds the package to what its comment promises.
func TestPackageIsPure(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if slices.Contains([]string{"os", "time", "log", "log/slog", "database/sql", "context", "net/http"}, path) || strings.HasPrefix(path, "go.lsp.dev/") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
