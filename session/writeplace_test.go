package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// A path without .html, and one outside of the root, was written elsewhere.
func TestAPathIsTakenAtItsWordOrRefused(t *testing.T) {
	f := newFixture(t, nil)
	for _, test := range []struct {
		path   string
		strict bool
		want   string
	}{
		{"areas/ops/a", false, "areas/ops/a.html"},
		{"/areas/ops/b", false, "areas/ops/b.html"},
		{"areas/ops/c.html", true, "areas/ops/c.html"},
		{"areas/ops/d", true, ""},
		{"areas/ops/", false, ""},
		{"areas/ops/x.htm", false, ""},
		{"areas/ops/index", false, ""},
		{"areas/../x.html", false, ""},
		{"areas", false, ""},
		{"x", false, ""},
		{"../x.html", false, ""},
		{"/abs.html", false, ""},
		{"", true, ""},
	} {
		before := f.digest()
		request := fact("Title "+test.path, "The claim of "+test.path+" is new")
		request.Path, request.StrictPath = test.path, test.strict
		result, err := f.root.Write(context.Background(), request)
		if test.want == "" && (failure.CodeOf(err) != failure.InvalidFlag || f.digest() != before) || test.want != "" && err != nil || result.Path != test.want {
			t.Errorf("%q: %+v, %v", test.path, result, err)
		}
	}
}

// withArchivedBar are a memory and one whose name somebody had this year.
func withArchivedBar() map[string]string {
	return map[string]string{
		pool:                                claim("The pool ceiling is 64", 1),
		"archive/2026/areas/inbox/bar.html": archivedClaim("The bar opens at noon", 2),
	}
}

// A memory under a name that was archived this year could be neither archived nor
// corrected before the next.
func TestAFreeNameIsFreeInTheArchiveToo(t *testing.T) {
	roots(t, withArchivedBar(), func(t *testing.T, f *fixture, root *Root) {
		bar := func(claim string) WriteRequest { return WriteRequest{Title: "Bar", Type: "verdict", Claim: claim} }
		ctx := context.Background()
		if got := mustWrite(t, root, bar("The bar is closed")); got.Path != "areas/inbox/bar-2.html" || len(got.Warnings) > 0 {
			t.Errorf("write: %+v", got)
		}
		got := mustApply(t, root, ApplyRequest{Operations: operations(bar("The bar is new"), bar("The bar is old"))})
		if diff := cmp.Diff([]string{"areas/inbox/bar-3.html", "areas/inbox/bar-4.html"}, got.WrittenPaths); diff != "" {
			t.Errorf("apply (-want +got)\n%s", diff)
		}
		for _, path := range got.WrittenPaths {
			if _, err := root.Archive(ctx, ArchiveRequest{Path: path}); err != nil {
				t.Error(err)
			}
		}
	})
}

// With a path that was asked for that is so as well, and nobody said it.
func TestAPathWithoutAPlaceInTheArchiveIsTold(t *testing.T) {
	const bar = "areas/inbox/bar.html"
	ctx := context.Background()
	asked := WriteRequest{Title: "Bar", Type: "verdict", Claim: "The bar is closed", Path: bar}
	for name, test := range map[string]struct {
		path string
		run  func(root *Root) (Done, error)
	}{
		"write": {bar, func(root *Root) (Done, error) { got, err := root.Write(ctx, asked); return got.Done, err }},
		"apply": {bar, func(root *Root) (Done, error) {
			got, err := root.Apply(ctx, ApplyRequest{Operations: operations(asked)})
			return got.Done, err
		}},
		"correct": {bar, func(root *Root) (Done, error) {
			got, err := root.Correct(ctx, CorrectRequest{Target: pool, Claim: "The pool ceiling is 9", Path: bar})
			return got.Done, err
		}},
		"correct in its place": {pool, func(root *Root) (Done, error) {
			got, err := root.Correct(ctx, CorrectRequest{Target: pool, Claim: "The pool ceiling is 9", Path: pool})
			return got.Done, err
		}},
	} {
		roots(t, withArchivedBar(), func(t *testing.T, f *fixture, root *Root) {
			done, err := test.run(root)
			want := []string{test.path + " can be neither archived nor corrected before 2027: archive/2026/" + test.path + " is taken."}
			if err != nil || !cmp.Equal(done.Warnings, want) {
				t.Errorf("%s: %q, %v", name, done.Warnings, err)
			}
			if _, err := root.Archive(ctx, ArchiveRequest{Path: test.path}); err == nil || !strings.Contains(err.Error(), "exists") {
				t.Errorf("%s: archived, %v", name, err)
			}
		})
	}
}

// That git is told to ignore the place was not said.
func TestAPathThatGitIgnoresIsToldAndCommitted(t *testing.T) {
	files := withArchivedBar()
	files[".gitignore"] = "areas/private/\n"
	ctx := context.Background()
	at := func(path, claim string) WriteRequest {
		return WriteRequest{Title: "T", Type: "verdict", Claim: claim, Path: path}
	}
	roots(t, files, func(t *testing.T, f *fixture, root *Root) {
		told := func(paths string) []string {
			return []string{"This commit has files that git is told to ignore: " + paths + "."}
		}
		one := mustWrite(t, root, at("areas/private/a.html", "The safe is blue"))
		batch := mustApply(t, root, ApplyRequest{Operations: operations(
			at("areas/private/b.html", "The safe is red"), at("areas/open.html", "The door is red"), at("areas/private/c.html", "The safe is old"),
		)})
		corrected, err := root.Correct(ctx, CorrectRequest{Target: pool, Claim: "The pool ceiling is 9", Path: "areas/private/d.html"})
		if err != nil {
			t.Fatal(err)
		}
		open := mustWrite(t, root, at("areas/e.html", "The lamp is red"))
		got := [][]string{one.Warnings, batch.Warnings, corrected.Warnings, open.Warnings}
		want := [][]string{told("areas/private/a.html"), told("areas/private/b.html, areas/private/c.html"), told("areas/private/d.html"), nil}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if got := strings.Fields(f.git("ls-files", "areas/private")); len(got) != 4 {
			t.Errorf("tracked: %q", got)
		}
		f.clean()
	})
}
