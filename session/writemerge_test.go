package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// exact asks for an update in place of a refusal.
func exact(request WriteRequest) WriteRequest {
	request.Dedupe = DedupeExact
	return request
}

const kiln = "areas/k.html"

func kilnFiles() map[string]string {
	metas := []string{
		`<meta name="memhtml-confidence" content="0.50">`, `<meta name="memhtml-author" content="Ines">`, `<meta name="memhtml-session" content="s1">`,
		`<meta name="memhtml-entity" content="project:kiln">`, `<meta name="memhtml-tag" content="glaze">`,
	}
	return map[string]string{kiln: claim("The kiln fires on Friday", 1, strings.Join(metas, "\n")+"\n")}
}

func TestExactMatchMergesMetadata(t *testing.T) {
	roots(t, kilnFiles(), func(t *testing.T, f *fixture, root *Root) {
		article := f.read(kiln)[strings.Index(f.read(kiln), "<article>"):]
		high := 0.9
		request := exact(fact("Another title", "The kiln fires on Friday"))
		request.Type, request.Confidence, request.SessionID = "verdict", &high, "s2"
		request.Tags, request.Entities, request.Aliases = []string{"glaze", "cone"}, []string{"place:studio"}, []string{"oven"}
		result := mustWrite(t, root, request)
		head := f.head()
		want := WriteResult{
			Done: Done{Commit: &head, At: "2026-05-02T08:30:00Z"}, Path: kiln, ExistingPath: kiln, Action: OutcomeUpdated,
			ContentHash: memory.Parse([]byte(f.read(kiln))).ContentHash.String(), Conflicts: []Conflict{},
		}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("result (-want +got)\n%s", diff)
		}
		metas := f.metas(kiln)
		got := []any{metas.Type, *metas.Confidence, metas.Author, metas.Session, metas.Tags, metas.Entities, metas.Aliases, metas.Updated}
		wantMetas := []any{
			"semantic", 0.9, "Ines", "s1", []string{"glaze", "cone"}, []string{"project:kiln", "place:studio"}, []string{"oven"}, result.At,
		}
		if diff := cmp.Diff(wantMetas, got); diff != "" {
			t.Errorf("metas (-want +got)\n%s", diff)
		}
		if !strings.HasSuffix(f.read(kiln), article) {
			t.Error("the text moved")
		}
		if got, want := f.git("log", "-1", "--format=%B"), "memhtml(update): The kiln fires on Friday\n\nMemhtml-Session: s2\n\n"; got != want {
			t.Errorf("message %q, want %q", got, want)
		}

		before := f.digest()
		again := mustWrite(t, root, request)
		want.Done = Done{At: want.At, Already: true}
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("the same again (-want +got)\n%s", diff)
		}
		if f.digest() != before {
			t.Error("an update that changes nothing changed something")
		}
	})
}

func TestInvisibleDifferencesAreExactToo(t *testing.T) {
	files := map[string]string{kiln: claim("The caf\u00e9 is open", 1)}
	request := fact("Café", "The cafe\u0301\u00a0is open")
	roots(t, files, func(t *testing.T, f *fixture, root *Root) {
		if got := mustWrite(t, root, exact(request)); got.Action != OutcomeUpdated || got.Path != kiln || !got.Already {
			t.Errorf("with dedupe %+v", got)
		}
		if got := mustWrite(t, root, request); got.Action != OutcomeCreated {
			t.Errorf("without %+v", got)
		}
	})
}

func TestInvisibleDifferencesWithinABatch(t *testing.T) {
	f := newFixture(t, nil)
	result := mustApply(t, f.root, ApplyRequest{Operations: operations(fact("One", "The caf\u00e9 is open"), exact(fact("Two", "The cafe\u0301 is open")))})
	if got := result.Results[1]; got.Action != OutcomeUpdated || got.Path != result.Results[0].Path {
		t.Errorf("%+v", got)
	}
}

func TestDedupeWithoutAMatchCreates(t *testing.T) {
	f := newFixture(t, kilnFiles())
	request := fact("Other", "The kiln rests on Sunday")
	request.Dedupe = DedupeExactOrNear
	got := mustWrite(t, f.root, request)
	if got.Action != OutcomeCreated || !got.NearDuplicatesDegraded || got.NearDuplicates != nil {
		t.Errorf("%+v", got)
	}
}

func TestScopeNarrowsWhatIsUpdated(t *testing.T) {
	files := map[string]string{"projects/one/k.html": kilnFiles()[kiln]}
	tests := []struct {
		name   string
		change func(*WriteRequest)
		want   Outcome
	}{
		{"root", func(w *WriteRequest) {}, OutcomeUpdated},
		{"its workspace", func(w *WriteRequest) { w.Scope, w.Workspace = ScopeWorkspace, "One" }, OutcomeUpdated},
		{"another workspace", func(w *WriteRequest) { w.Scope, w.Workspace = ScopeWorkspace, "two" }, OutcomeDeduped},
		{"no workspace", func(w *WriteRequest) { w.Scope = ScopeWorkspace }, OutcomeDeduped},
		{"its author", func(w *WriteRequest) { w.Scope, w.Author = ScopeAuthor, "Ines" }, OutcomeUpdated},
		{"another author", func(w *WriteRequest) { w.Scope, w.Author = ScopeAuthor, "Ada" }, OutcomeDeduped},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, files)
			request := exact(fact("x", "The kiln fires on Friday"))
			test.change(&request)
			if got := mustWrite(t, f.root, request); got.Action != test.want || got.Path != "projects/one/k.html" {
				t.Errorf("%+v, want %s", got, test.want)
			}
		})
	}
}

func TestUpdateOfAnUnsavedMemoryIsRefused(t *testing.T) {
	f := newFixture(t, kilnFiles())
	f.root.Edit(Modification{Kind: Opened, Path: kiln, Text: []byte(f.read(kiln)), Version: 1})
	f.root.Edit(Modification{Kind: Changed, Path: kiln, Text: []byte("<p>half"), Version: 2})
	request := exact(fact("x", "The kiln fires on Friday"))
	request.Tags = []string{"new"}
	before := f.digest()
	if _, err := f.root.Write(context.Background(), request); failure.CodeOf(err) != failure.DirtyDocument {
		t.Errorf("error %v", err)
	}
	if f.digest() != before {
		t.Error("a refusal changed something")
	}
}
