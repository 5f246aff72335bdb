package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

func correctEdit(path string) func(*Root) error {
	return func(r *Root) error {
		_, err := r.CorrectFromEdit(context.Background(), CorrectFromEditRequest{Path: path})
		return err
	}
}

func TestCorrectFromEditIsOneCommit(t *testing.T) {
	const place = "areas/gate-a-opens-at-6.html"
	links := `<link rel="memhtml-supports" href="/` + b + `">` + "\n"
	old := claim("Gate a opens at 5", 1, metaLines("importance", "8", "author", "eve", "session", "s-0", "valid-from", "2026-01-01",
		"valid-until", "2026-12-31", "reprieves", "2", "needs-revision", "true", "tag", "gates"), links)
	roots(t, map[string]string{a: old, b: claim("Gate b opens at 6", 2)}, func(t *testing.T, f *fixture, root *Root) {
		edited := strings.NewReplacer("opens at 5", "opens at 6", "2026-12-31", "2026-11-30").Replace(old)
		f.write(a, edited)
		result, err := root.CorrectFromEdit(context.Background(), CorrectFromEditRequest{
			Path: a, Reason: "They open later in winter.", Author: "ada", SessionID: "s-1",
		})
		if err != nil {
			t.Fatal(err)
		}
		result.Dangling = nil // told in an indexed root alone
		doc := memory.Parse([]byte(f.read(place)))
		head := f.head()
		want := CorrectResult{
			Done: Done{Commit: &head, At: now}, Path: place, ArchivedPath: "archive/2026/" + a, ContentHash: doc.ContentHash.String(),
		}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("result (-want +got)\n%s", diff)
		}
		importance := 8
		metas := memory.Metas{
			Type: "semantic", Status: "active", Created: now, Updated: now, ContentHash: doc.ContentHash.String(), Importance: &importance,
			// Whoever wrote the end of the validity wrote it now.
			Author: "ada", Session: "s-1", ValidFrom: now, ValidUntil: "2026-11-30", Tags: []string{"gates"},
		}
		if diff := cmp.Diff(metas, doc.Metas, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".present" }, cmp.Ignore())); diff != "" {
			t.Errorf("metas (-want +got)\n%s", diff)
		}
		var hrefs []string
		for _, link := range doc.Links {
			hrefs = append(hrefs, link.Rel+" "+link.Href)
		}
		if diff := cmp.Diff([]string{"supports /" + b, "supersedes /archive/2026/" + a}, hrefs); diff != "" {
			t.Errorf("links (-want +got)\n%s", diff)
		}
		text := f.read("archive/2026/" + a)
		archived := memory.Parse([]byte(text)).Metas
		stamps := []string{archived.Status, archived.Created, archived.Archived, archived.Author, archived.ValidFrom, archived.ValidUntil, archived.SupersededBy}
		if diff := cmp.Diff([]string{"archived", "2026-01-01T08:00:00Z", now, "eve", "2026-01-01", now, "/" + place}, stamps); diff != "" {
			t.Errorf("archived (-want +got)\n%s", diff)
		}
		if articleOf(text) != articleOf(old) || articleOf(f.read(place)) != articleOf(edited) {
			t.Error("an article changed")
		}
		if got := f.subject(); got != "memhtml(correct): Gate a opens at 6" {
			t.Errorf("subject %q", got)
		}
		if want := "They open later in winter.\n\nMemhtml-Session: s-1"; !strings.HasPrefix(f.body(), want+"\n"+store.UncommittedKey+": ") {
			t.Errorf("body %q", f.body())
		}
		if got := f.git("status", "--porcelain"); got != "" {
			t.Errorf("status %q", got)
		}
		f.fsck()
		f.want("after the commit")
	})
}

func TestCorrectFromEditKeepsLineEndingAndBOM(t *testing.T) {
	files := four()
	files[a] = "\ufeff" + strings.ReplaceAll(files[a], "\n", "\r\n")
	f := newFixture(t, files)
	f.write(a, strings.ReplaceAll(files[a], "opens at", "shuts at"))
	if err := correctEdit(a)(f.root); err != nil {
		t.Fatal(err)
	}
	const place = "areas/gate-a-shuts-at-5.html"
	for _, path := range []string{place, "archive/2026/" + a} {
		text := f.read(path)
		if !strings.HasPrefix(text, "\ufeff") || strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			t.Errorf("%s: %q", path, text)
		}
	}
	f.follows(place)
	f.follows("archive/2026/" + a)
}

// A title that was edited too names the file; one that was not leaves the name.
func TestCorrectFromEditPlaces(t *testing.T) {
	tests := []struct{ name, path, title, edited, want string }{
		{"the title stays", "areas/ops/gate.html", "Gate", "Gate", "areas/ops/gate-2.html"},
		{"the title stays, with an ordinal", "areas/ops/gate-2.html", "Gate", "Gate", "areas/ops/gate.html"},
		{"another title", "areas/ops/gate.html", "Gate", "Gate in winter", "areas/ops/gate-in-winter.html"},
		{"another title of that name", "areas/ops/gate.html", "Gate", "Gate!", "areas/ops/gate-2.html"},
		{"another title with a date in front", "areas/20260102-gate.html", "Gate", "Bar", "areas/20260102-bar.html"},
		{"a title that is taken", "areas/ops/gate.html", "Gate", "Taken", "areas/ops/taken-2.html"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			titled := func(title, text string) string {
				return strings.Replace(claim(text, 1), "<title>"+text, "<title>"+title, 1)
			}
			f := newFixture(t, map[string]string{test.path: titled(test.title, "It opens at 5"), "areas/ops/taken.html": claim("Taken", 2)})
			f.write(test.path, titled(test.edited, "It opens at 6"))
			result, err := f.root.CorrectFromEdit(context.Background(), CorrectFromEditRequest{Path: test.path})
			if err != nil || result.Path != test.want || f.metas("archive/2026/"+test.path).SupersededBy != "/"+test.want {
				t.Errorf("%+v, %v, want %s", result, err, test.want)
			}
			f.want("after the commit")
		})
	}
}

// What is staged of the edited file is part of it when it is all of it; what is
// staged of others stays staged.
func TestCorrectFromEditOfAStagedFile(t *testing.T) {
	f := newFixture(t, four())
	f.write(a, strings.ReplaceAll(f.read(a), "opens at", "shuts at"))
	f.write(b, f.read(b)+"<!-- mine -->\n")
	f.git("add", "-A")
	if err := correctEdit(a)(f.root); err != nil {
		t.Fatal(err)
	}
	if got := f.git("status", "--porcelain"); got != "M  "+b+"\n" {
		t.Errorf("status %q", got)
	}
}

func TestCorrectFromEditTellsWhoSaysTheSame(t *testing.T) {
	f := newFixture(t, four())
	f.write(a, strings.Replace(f.read(a), articleOf(f.read(a)), articleOf(f.read(b)), 1))
	f.root.Modify(Modification{Kind: Touched, Path: a})
	before := f.digest()
	_, err := f.root.CorrectFromEdit(context.Background(), CorrectFromEditRequest{Path: a, NoDuplicate: true})
	if failure.CodeOf(err) != failure.DuplicateContent || f.digest() != before {
		t.Errorf("%v", err)
	}
	result, err := f.root.CorrectFromEdit(context.Background(), CorrectFromEditRequest{Path: a})
	if err != nil || result.ExistingPath != b {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestCorrectFromEditRefuses(t *testing.T) {
	edit := func(path string) func(*fixture) {
		return func(f *fixture) { f.write(path, strings.ReplaceAll(f.read(path), "opens at", "shuts at")) }
	}
	refuse(t, four, []refusal{
		{"nothing was edited", nil, nil, correctEdit(a), failure.InvalidMemory},
		{"the claim was not edited", nil, func(f *fixture) {
			f.write(a, strings.Replace(f.read(a), "It is told", "It was told", 1))
		}, correctEdit(a), failure.InvalidMemory},
		{"not in the last commit", nil, func(f *fixture) { f.write("areas/new.html", claim("New", 5)) }, correctEdit("areas/new.html"), failure.GitState},
		{"not saved", nil, func(f *fixture) {
			edit(a)(f)
			f.root.Edit(
				Modification{Kind: Opened, Path: a, Text: []byte(f.read(a)), Version: 1},
				Modification{Kind: Changed, Path: a, Text: []byte(f.read(a) + "\n"), Version: 2})
		}, correctEdit(a), failure.DirtyDocument},
		{"staged in part", nil, func(f *fixture) {
			f.write(a, f.read(a)+"<!-- mine -->\n")
			f.git("add", "-A")
			edit(a)(f)
		}, correctEdit(a), failure.GitState},
		{"broken now", nil, func(f *fixture) { f.write(a, "<p>half") }, correctEdit(a), failure.InvalidMemory},
		{"broken before", map[string]string{d: "<p>half"}, func(f *fixture) { f.write(d, claim("New", 5)) }, correctEdit(d), failure.InvalidMemory},
		{"a task before", map[string]string{d: task("Mend the gate")}, func(f *fixture) { f.write(d, claim("New", 5)) }, correctEdit(d), failure.InvalidMemory},
		{"a task now", nil, func(f *fixture) { f.write(d, task("Mend the gate")) }, correctEdit(d), failure.InvalidMemory},
		{"its archive is taken", map[string]string{"archive/2026/" + a: claim("Old", 1)}, edit(a), correctEdit(a), failure.DestinationExists},
		{"an archived one", map[string]string{"archive/2025/areas/x.html": claim("It opens at 5", 1)}, edit("archive/2025/areas/x.html"), correctEdit("archive/2025/areas/x.html"), failure.InvalidMemory},
		{"no file", nil, nil, correctEdit("areas/none.html"), failure.PathNotFound},
	})
}
