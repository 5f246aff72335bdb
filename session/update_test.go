package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

func p[T any](v T) *T { return &v }

func mustUpdate(t *testing.T, root *Root, request UpdateRequest) UpdateResult {
	t.Helper()
	result, err := root.Update(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestUpdateReplacesTextInPlace(t *testing.T) {
	roots(t, kilnFiles(), func(t *testing.T, f *fixture, root *Root) {
		hash := hashBytes([]byte(f.read(kiln)))
		result := mustUpdate(t, root, UpdateRequest{
			Path: "/" + kiln, Title: p("Kiln & day"), Claim: p("The kiln fires on Monday"), Body: []string{"Since May."},
			Tags: []string{"new"}, SessionID: "s1", Author: p(""), ExpectHash: &hash,
		})
		doc := memory.Parse([]byte(f.read(kiln)))
		head := f.head()
		want := UpdateResult{
			Done: Done{Commit: &head, At: "2026-05-02T08:30:00Z"}, Path: kiln, Action: OutcomeUpdated, ContentHash: doc.ContentHash.String(),
		}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("result (-want +got)\n%s", diff)
		}
		got := []any{doc.Title, doc.Gist, doc.Canonical, doc.Metas.ContentHash, doc.Metas.Updated, doc.Metas.Created, doc.Metas.Tags, doc.Metas.Has("memhtml-author"), doc.Accepted()}
		wantDoc := []any{
			"Kiln & day", "The kiln fires on Monday", "The kiln fires on Monday Since May.", doc.ContentHash.String(), result.At,
			"2026-01-01T08:00:00Z",
			[]string{"glaze", "new"},
			false, true,
		}
		if diff := cmp.Diff(wantDoc, got); diff != "" {
			t.Errorf("file (-want +got)\n%s", diff)
		}
		if got, want := f.git("log", "-1", "--format=%B"), "memhtml(update): Kiln & day\n\nMemhtml-Session: s1\n\n"; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
		f.clean()
	})
}

func TestUpdateThatChangesNothingIsAlready(t *testing.T) {
	f := newFixture(t, kilnFiles())
	before := f.digest()
	for name, request := range map[string]UpdateRequest{
		"a tag that is there": {Path: kiln, Tags: []string{"glaze"}, Confidence: p(0.5)},
		"the same text":       {Path: kiln, Claim: p("The kiln fires on Friday")},
		"no author to remove": {Path: kiln, ValidFrom: p("")},
	} {
		result := mustUpdate(t, f.root, request)
		if !result.Already || result.Commit != nil || f.digest() != before {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

func TestUpdateKeepsLineEndingAndBOM(t *testing.T) {
	files := kilnFiles()
	files[kiln] = "\ufeff" + strings.ReplaceAll(files[kiln], "\n", "\r\n")
	f := newFixture(t, files)
	mustUpdate(t, f.root, UpdateRequest{Path: kiln, ArticleHTML: p("<p><mark>New</mark></p>\n<pre>a\n b</pre>"), Title: p("New")})
	after := f.read(kiln)
	if strings.Count(after, "\n") != strings.Count(after, "\r\n") || !strings.HasPrefix(after, "\ufeff") {
		t.Errorf("%q", after)
	}
	if got := memory.Parse([]byte(after)).Canonical; got != "New a\n b" {
		t.Errorf("text %q", got)
	}
}

func TestUpdateOfATask(t *testing.T) {
	f := newFixture(t, nil)
	made := mustWrite(t, f.root, todo("Gate", "Mend the gate"))
	mustUpdate(t, f.root, UpdateRequest{Path: made.Path, Status: p("doing"), Due: p("2026-06-01")})
	if metas := f.metas(made.Path); metas.TaskStatus != "doing" || metas.Due != "2026-06-01" {
		t.Errorf("%+v", metas)
	}
	mustUpdate(t, f.root, UpdateRequest{Path: made.Path, Due: p("")})
	if metas := f.metas(made.Path); metas.TaskStatus != "doing" || metas.Has("memhtml-due") {
		t.Errorf("%+v", metas)
	}
}

func TestUpdateToATextThatIsThere(t *testing.T) {
	files := kilnFiles()
	files["areas/other.html"] = claim("The kiln rests on Sunday", 2)
	roots(t, files, func(t *testing.T, f *fixture, root *Root) {
		before := f.digest()
		request := UpdateRequest{Path: kiln, Claim: p("The kiln rests on Sunday"), NoDuplicate: true}
		_, err := root.Update(context.Background(), request)
		want := map[string]string{"path": kiln, "existingPath": "areas/other.html"}
		if failure.CodeOf(err) != failure.DuplicateContent || !cmp.Equal(Refusal(err).Data, any(want)) || f.digest() != before {
			t.Errorf("error %v, data %v", err, Refusal(err).Data)
		}
		request.NoDuplicate = false
		if got := mustUpdate(t, root, request); got.ExistingPath != "areas/other.html" || len(got.Warnings) != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// A twin that was there before is no news.
func TestUpdateThatKeepsTheTextAsksForNoTwin(t *testing.T) {
	files := kilnFiles()
	files["areas/twin.html"] = files[kiln]
	f := newFixture(t, files)
	if got := mustUpdate(t, f.root, UpdateRequest{Path: kiln, Tags: []string{"x"}, NoDuplicate: true}); got.ExistingPath != "" || got.Commit == nil {
		t.Errorf("%+v", got)
	}
}

func TestRefusedUpdatesChangeNothing(t *testing.T) {
	files := kilnFiles()
	files["areas/broken.html"] = "<p>"
	files["archive/2026/areas/x.html"] = claim("x", 1)
	tests := []struct {
		name    string
		request UpdateRequest
		want    failure.Code
	}{
		{"nothing", UpdateRequest{Path: kiln}, failure.MissingArgument},
		{"missing", UpdateRequest{Path: "areas/none.html", Tags: []string{"x"}}, failure.PathNotFound},
		{"archived", UpdateRequest{Path: "archive/2026/areas/x.html", Tags: []string{"x"}}, failure.InvalidMemory},
		{"other bytes", UpdateRequest{Path: kiln, Tags: []string{"x"}, ExpectHash: &memory.Hash{1}}, failure.WriteConflict},
		{"status of no task", UpdateRequest{Path: kiln, Status: p("done")}, failure.InvalidFlag},
		{"date", UpdateRequest{Path: kiln, ValidUntil: p("soon")}, failure.InvalidMemory},
		{"importance", UpdateRequest{Path: kiln, Importance: p(11)}, failure.InvalidMemory},
		{"title", UpdateRequest{Path: kiln, Title: p(" ")}, failure.MissingArgument},
		{"claim", UpdateRequest{Path: kiln, Claim: p(" ")}, failure.MissingArgument},
		{"markup", UpdateRequest{Path: kiln, ArticleHTML: p("<p>no mark</p>")}, failure.InvalidMemory},
		{"broken", UpdateRequest{Path: "areas/broken.html", Tags: []string{"x"}}, failure.InvalidMemory},
	}
	f := newFixture(t, files)
	before := f.digest()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := f.root.Update(context.Background(), test.request)
			if err == nil || failure.CodeOf(err) != test.want || !strings.HasPrefix(err.Error(), "Not updated: ") {
				t.Errorf("error %v with code %s, want %s", err, failure.CodeOf(err), test.want)
			}
			if f.digest() != before {
				t.Error("a refusal changed something")
			}
		})
	}
}

// A meta that was malformed before is no reason to refuse what leaves it alone.
func TestUpdateOfAMemoryWithADroppedMeta(t *testing.T) {
	f := newFixture(t, map[string]string{kiln: claim("The kiln fires on Friday", 1, `<meta name="memhtml-importance" content="many">`+"\n")})
	if got := mustUpdate(t, f.root, UpdateRequest{Path: kiln, Tags: []string{"x"}}); got.Commit == nil {
		t.Errorf("%+v", got)
	}
}

// Of many updates that expect the same bytes one is done; the others learn what
// the bytes are now (W27).
func TestConcurrentUpdatesWithOneExpectation(t *testing.T) {
	f := newFixture(t, kilnFiles())
	before := f.commits()
	hash := hashBytes([]byte(f.read(kiln))).String()
	lines, complaints := f.run(20, "expect", processPath+"="+kiln, processHash+"="+hash)
	if len(lines) != 1 || len(complaints) != 19 || f.commits()-before != 1 {
		t.Fatalf("%d done, %d refused, %d commits", len(lines), len(complaints), f.commits()-before)
	}
	now := hashBytes([]byte(f.read(kiln))).String()
	for _, complaint := range complaints {
		if !strings.Contains(complaint, string(failure.WriteConflict)) || !strings.Contains(complaint, now) {
			t.Errorf("refused with %q, want a conflict that names %s", complaint, now)
		}
	}
	f.clean()
}
