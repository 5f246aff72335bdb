package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

func mustWrite(t *testing.T, root *Root, request WriteRequest) WriteResult {
	t.Helper()
	result, err := root.Write(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func fact(title, claim string) WriteRequest {
	return WriteRequest{Title: title, Type: "semantic", Claim: claim}
}

func TestWriteIsOneCommit(t *testing.T) {
	roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
		f.write("notes.txt", "mine")
		f.git("add", "notes.txt")
		one, half := 1, 0.5
		request := WriteRequest{
			Title: "Kiln  schedule", Type: "semantic", Claim: "The kiln fires on Friday.", Body: []string{"Cone 6."},
			Tags: []string{"Glaze Tests"}, Entities: []string{"project:kiln"}, Aliases: []string{"oven"},
			Importance: &one, Confidence: &half, Author: "Ines", ValidFrom: "2026-01-01", ValidUntil: "2027-01-01",
			SessionID: "s1", PromptID: "p1", TurnUUID: "t1",
		}
		result := mustWrite(t, root, request)
		head := f.head()
		want := WriteResult{
			Done: Done{Commit: &head, At: "2026-05-02T08:30:00Z"}, Path: "resources/glaze-tests/kiln-schedule.html",
			Action: OutcomeCreated, Conflicts: []Conflict{},
			ContentHash: memory.Parse([]byte(f.read("resources/glaze-tests/kiln-schedule.html"))).ContentHash.String(),
		}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("result (-want +got)\n%s", diff)
		}
		if got, want := f.git("log", "-1", "--format=%B"), "memhtml(write): Kiln schedule\n\nMemhtml-Session: s1\nMemhtml-Prompt: p1\n\n"; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
		if got, want := f.git("status", "--porcelain"), "A  notes.txt\n"; got != want {
			t.Errorf("status %q, want %q", got, want)
		}
		metas := f.metas(result.Path)
		got := []string{metas.Session, metas.Prompt, metas.Turn, metas.ValidFrom, metas.ValidUntil, metas.Author, metas.Created, metas.Updated}
		if diff := cmp.Diff([]string{"s1", "p1", "t1", "2026-01-01", "2027-01-01", "Ines", result.At, result.At}, got); diff != "" {
			t.Errorf("metas (-want +got)\n%s", diff)
		}
		f.fsck()
	})
}

func todo(title, body string) WriteRequest {
	return WriteRequest{Title: title, Type: "task", Claim: body}
}

func TestWriteFindsAFreePath(t *testing.T) {
	f := newFixture(t, nil)
	f.write("areas/inbox/note.html", "a stray file")
	for i, want := range []string{"areas/inbox/note-2.html", "areas/inbox/note-3.html"} {
		if got := mustWrite(t, f.root, WriteRequest{Title: "Note", Type: "verdict", Claim: fmt.Sprint("claim ", i)}); got.Path != want {
			t.Errorf("path %s, want %s", got.Path, want)
		}
	}
	// What was deleted and is still in the last commit is not free.
	f.remove("areas/inbox/note-2.html")
	if got := mustWrite(t, f.root, WriteRequest{Title: "Note", Type: "verdict", Claim: "one more"}); got.Path != "areas/inbox/note-4.html" {
		t.Errorf("path %s", got.Path)
	}
	got := mustWrite(t, f.root, WriteRequest{Title: "Note", Type: "verdict", Claim: "a path", Path: "/areas//ops/x.html"})
	if got.Path != "areas/ops/x.html" {
		t.Errorf("path %s", got.Path)
	}
}

func TestWritePathsAreExhausted(t *testing.T) {
	f := newFixture(t, nil)
	for n := 1; n <= maxOrdinal; n++ {
		f.write("areas/inbox/"+memory.SlugOrdinal("note", n)+".html", "")
	}
	_, err := f.root.Write(context.Background(), WriteRequest{Title: "Note", Type: "verdict", Claim: "x"})
	if failure.CodeOf(err) != failure.DestinationExists {
		t.Errorf("error %v", err)
	}
}

func TestRefusedWritesChangeNothing(t *testing.T) {
	eleven, two := 11, 2.0
	with := func(change func(*WriteRequest)) WriteRequest {
		request := fact("Title", "The claim is new")
		change(&request)
		return request
	}
	tests := []struct {
		name    string
		request WriteRequest
		want    failure.Code
		says    string
	}{
		{"no title", with(func(w *WriteRequest) { w.Title = " " }), failure.MissingArgument, "title"},
		{"no type", with(func(w *WriteRequest) { w.Type = "" }), failure.MissingArgument, "type"},
		{"no claim", with(func(w *WriteRequest) { w.Claim = "" }), failure.MissingArgument, "claim"},
		{"two claims", with(func(w *WriteRequest) { w.ArticleHTML = "<p><mark>x</mark></p>" }), failure.InvalidFlag, "both"},
		{"all violations", with(func(w *WriteRequest) {
			w.Type, w.Claim, w.ArticleHTML, w.ValidUntil = "opinion", "", "<p>no mark<script></script></p>", "soon"
		}), failure.InvalidMemory, "mark-count: No <mark> element in the article: exactly one holds the claim; forbidden-element: <script> is not allowed in a memory; type-unknown: “opinion” is not a memory type: episodic, semantic, procedural, agent_insight, user_preference, error_pattern, verdict, precedent, arc or task; meta-datetime: memhtml-valid-until: “soon” is not a date"},
		{"importance", with(func(w *WriteRequest) { w.Importance = &eleven }), failure.InvalidMemory, "the importance is 11, and not a whole number from 1 to 10"},
		{"confidence", with(func(w *WriteRequest) { w.Confidence = &two }), failure.InvalidMemory, "the confidence is 2, and not a number from 0 to 1"},
		{"date", with(func(w *WriteRequest) { w.ValidFrom = "yesterday" }), failure.InvalidMemory, "meta-datetime"},
		{"arc", with(func(w *WriteRequest) { w.Type = "arc" }), failure.InvalidMemory, "arc"},
		{"a NUL", with(func(w *WriteRequest) { w.Claim = "a\x00b" }), failure.InvalidMemory, "NUL"},
		{"too deep", with(func(w *WriteRequest) { w.Claim, w.ArticleHTML = "", strings.Repeat("<section>", 600) }), failure.InvalidMemory, "markup"},
		{"near", with(func(w *WriteRequest) { w.Dedupe = DedupeNear }), failure.ModelUnavailable, "near matches"},
		{"dedupe", with(func(w *WriteRequest) { w.Dedupe = "always" }), failure.InvalidFlag, "dedupe"},
		{"scope", with(func(w *WriteRequest) { w.Scope = "planet" }), failure.InvalidFlag, "scope"},
		{"threshold", with(func(w *WriteRequest) { w.NearThreshold = 1.5 }), failure.InvalidFlag, "threshold"},
		{"candidates", with(func(w *WriteRequest) { w.NearCandidates = -1 }), failure.InvalidFlag, "candidates"},
		{"occupied path", with(func(w *WriteRequest) { w.Path = pool }), failure.DestinationExists, pool},
		{"strict path", with(func(w *WriteRequest) { w.Path, w.StrictPath = "../x.html", true }), failure.InvalidFlag, "../x.html"},
		{"path in the archive", with(func(w *WriteRequest) { w.Path = "archive/2026/areas/x.html" }), failure.InvalidFlag, "archive/2026/areas/x.html"},
		{"generated path", with(func(w *WriteRequest) { w.Path, w.StrictPath = "areas/index.html", true }), failure.InvalidFlag, "index.html"},
	}
	f := newFixture(t, pools())
	before := f.digest()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := f.root.Write(context.Background(), test.request)
			if err == nil || failure.CodeOf(err) != test.want || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "Not written: ") {
				t.Errorf("error %v with code %s, want %s", err, failure.CodeOf(err), test.want)
			}
			if f.digest() != before {
				t.Error("a refusal changed something")
			}
		})
	}
}

func TestArcsAreForPeople(t *testing.T) {
	f := newFixture(t, nil)
	request := WriteRequest{Title: "The long road", Type: "arc", Claim: "The road is long", AllowArc: true}
	if got := mustWrite(t, f.root, request); got.Path != "areas/arcs/the-long-road.html" {
		t.Errorf("%+v", got)
	}
}

func TestWriteReportsTheConflict(t *testing.T) {
	tests := []struct {
		name    string
		request WriteRequest
		want    []Conflict
	}{
		{"another value", fact("a", "The kiln ceiling is 1300"), []Conflict{{Path: "areas/k.html", Key: "the kiln ceiling is", Claim: "The kiln ceiling is 1200"}}},
		{"the same value", fact("a", "The kiln  ceiling is 1200."), []Conflict{{Path: "areas/k.html", Key: "the kiln ceiling is", Claim: "The kiln ceiling is 1200", SameValue: true}}},
		{"markup", WriteRequest{Title: "a", Type: "verdict", ArticleHTML: "<p><mark>The kiln ceiling is 9</mark></p>"}, []Conflict{{Path: "areas/k.html", Key: "the kiln ceiling is", Claim: "The kiln ceiling is 1200"}}},
		{"the same text", fact("a", "The kiln ceiling is 1200"), []Conflict{}},
		{"a task", todo("a", "The kiln ceiling is 1300"), []Conflict{}},
		{"another frame", fact("a", "The kiln floor is 20"), []Conflict{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			roots(t, map[string]string{"areas/k.html": claim("The kiln ceiling is 1200", 1)}, func(t *testing.T, f *fixture, root *Root) {
				if diff := cmp.Diff(test.want, mustWrite(t, root, test.request).Conflicts); diff != "" {
					t.Errorf("conflicts (-want +got)\n%s", diff)
				}
			})
		})
	}
}

func TestADueDateIsATasksAlone(t *testing.T) {
	f := newFixture(t, pools())
	for kind, want := range map[string]string{"task": "2026-06-01", "semantic": ""} {
		result, err := f.root.Write(context.Background(), WriteRequest{Title: kind, Type: kind, Claim: kind, Due: "2026-06-01"})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.metas(result.Path).Due; got != want {
			t.Errorf("the due date of a %s is %q, want %q", kind, got, want)
		}
	}
}
