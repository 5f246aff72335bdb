package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

func operations(requests ...WriteRequest) []WriteOperation {
	var list []WriteOperation
	for _, request := range requests {
		list = append(list, WriteOperation{WriteRequest: request})
	}
	return list
}

func mustApply(t *testing.T, root *Root, request ApplyRequest) ApplyResult {
	t.Helper()
	result, err := root.Apply(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	s := result.Summary
	sum := s.Written + s.Deduped + s.Failed + s.Skipped
	if s.Consolidated != nil {
		sum += *s.Consolidated
	}
	if sum != s.Total || len(result.Results) != s.Total {
		t.Errorf("%d results, and the summary does not add up: %+v", len(result.Results), s)
	}
	return result
}

func at2(n int) *int { return &n }

func TestBatchIsOneCommit(t *testing.T) {
	roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
		before := f.commits()
		held := memory.Parse([]byte(f.read(pool))).Gist
		second := fact("Same title", "The second fact")
		second.SessionID = "own"
		result := mustApply(t, root, ApplyRequest{
			Operations: operations(
				fact("Same title", "The first fact"), second, fact("x", held),
				fact("y", "The first fact"), fact("z", "The first fact"), todo("t", "The first fact"),
			), PromptID: "whole",
		})
		head := f.head()
		want := ApplyResult{
			Done: Done{Commit: &head, At: "2026-05-02T08:30:00Z"},
			Results: []OperationResult{
				{Index: 0, OK: true, Path: "areas/inbox/same-title.html", Action: OutcomeCreated},
				{Index: 1, OK: true, Path: "areas/inbox/same-title-2.html", Action: OutcomeCreated},
				{Index: 2, OK: true, Path: pool, Action: OutcomeDeduped, ExistingPath: pool},
				{Index: 3, OK: true, Path: "areas/inbox/same-title.html", Action: OutcomeDeduped, ExistingPath: "areas/inbox/same-title.html"},
				{Index: 4, OK: true, Path: "areas/inbox/same-title.html", Action: OutcomeDeduped, ExistingPath: "areas/inbox/same-title.html"},
				{Index: 5, OK: true, Path: "areas/inbox/tasks/t.html", Action: OutcomeCreated},
			},
			Summary:      ApplySummary{Total: 6, Written: 3, Deduped: 3},
			WrittenPaths: []string{"areas/inbox/same-title.html", "areas/inbox/same-title-2.html", "areas/inbox/tasks/t.html"},
		}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("result (-want +got)\n%s", diff)
		}
		if got := f.commits() - before; got != 1 {
			t.Errorf("%d commits", got)
		}
		if got, want := f.git("log", "-1", "--format=%B"), "memhtml(batch): 3 memories\n\nMemhtml-Prompt: whole\n\n"; got != want {
			t.Errorf("message %q, want %q", got, want)
		}
		first, own := f.metas("areas/inbox/same-title.html"), f.metas("areas/inbox/same-title-2.html")
		if first.Prompt != "whole" || own.Session != "own" || own.Prompt != "" {
			t.Errorf("provenance %+v, %+v", first, own)
		}
		f.clean()
	})
}

func TestBatchOfOneHasItsTitle(t *testing.T) {
	f := newFixture(t, nil)
	mustApply(t, f.root, ApplyRequest{Operations: operations(fact("A title", "A fact"))})
	if got, want := f.git("log", "-1", "--format=%s"), "memhtml(batch): A title\n"; got != want {
		t.Errorf("subject %q, want %q", got, want)
	}
}

func TestBatchThatWritesNothingHasNoCommit(t *testing.T) {
	f := newFixture(t, pools())
	held := memory.Parse([]byte(f.read(pool))).Gist
	before := f.digest()
	for name, list := range map[string][]WriteOperation{"empty": nil, "all duplicates": operations(fact("x", held), fact("y", held))} {
		result := mustApply(t, f.root, ApplyRequest{Operations: list})
		if result.Commit != nil || result.Summary.Deduped != len(list) || result.Results == nil || f.digest() != before {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

func TestFirstRefusalAbortsTheBatch(t *testing.T) {
	roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
		broken := fact("Broken", "x")
		broken.Type = "opinion"
		taken := fact("Taken", "y is new")
		taken.Path = pool
		before := f.digest()
		result := mustApply(t, root, ApplyRequest{
			Operations: operations(fact("Good", "A good fact"), taken, broken), DetectConflicts: true,
		})
		want := []OperationResult{
			{Index: 0, Skipped: true},
			{Index: 1, Code: failure.DestinationExists, Error: pool + " exists already."},
			{Index: 2, Skipped: true},
		}
		if diff := cmp.Diff(want, result.Results); diff != "" {
			t.Errorf("results (-want +got)\n%s", diff)
		}
		if result.Commit != nil || len(result.WrittenPaths) > 0 || result.Summary != (ApplySummary{Total: 3, Failed: 1, Skipped: 2}) {
			t.Errorf("%+v", result)
		}
		if f.digest() != before {
			t.Error("an aborted batch changed something")
		}
	})
}

func TestContinueOnErrorWritesTheOthers(t *testing.T) {
	f := newFixture(t, pools())
	broken := fact("Broken", "x")
	broken.ValidUntil = "soon"
	request := ApplyRequest{Operations: operations(fact("Good", "A good fact"), broken, fact("Fine", "A fine fact")), ContinueOnError: true}
	result := mustApply(t, f.root, request)
	if got := result.Results[1]; got.Code != failure.InvalidMemory || !strings.Contains(got.Error, "meta-datetime") || got.Skipped {
		t.Errorf("%+v", got)
	}
	if !slices.Equal(result.WrittenPaths, []string{"areas/inbox/good.html", "areas/inbox/fine.html"}) || result.Summary.Failed != 1 {
		t.Errorf("%+v", result)
	}
	before := f.digest()
	result = mustApply(t, f.root, ApplyRequest{Operations: operations(broken, broken), ContinueOnError: true})
	if result.Commit != nil || result.Summary.Failed != 2 || f.digest() != before {
		t.Errorf("all failed: %+v", result)
	}
}

func TestExplicitPathsOfABatchMayNotMeet(t *testing.T) {
	f := newFixture(t, nil)
	one, two := fact("One", "Fact one"), fact("Two", "Fact two")
	one.Path, two.Path = "areas/x.html", "/areas/x.html"
	result := mustApply(t, f.root, ApplyRequest{Operations: operations(one, two), ContinueOnError: true})
	if !result.Results[0].OK || result.Results[1].Code != failure.DestinationExists {
		t.Errorf("%+v", result.Results)
	}
}

// A commit that fails leaves nothing, and every operation knows.
func TestFailedCommitIsToldOfEveryOperation(t *testing.T) {
	f := newFixture(t, pools())
	held := memory.Parse([]byte(f.read(pool))).Gist
	f.write(".git/MERGE_HEAD", f.head()+"\n")
	before := f.digest()
	_, err := f.root.Apply(context.Background(), ApplyRequest{Operations: operations(fact("x", held), fact("One", "Fact one"), fact("Two", "Fact two"))})
	if failure.CodeOf(err) != failure.GitState {
		t.Fatalf("error %v", err)
	}
	data, ok := Refusal(err).Data.(ApplyResult)
	if !ok || len(data.Results) != 3 || data.Results[1].Code != failure.GitState || data.Summary != (ApplySummary{Total: 3, Failed: 1, Skipped: 2}) {
		t.Errorf("data %+v", data)
	}
	if f.digest() != before {
		t.Error("a failed commit changed something")
	}
}

func TestBatchReportsConflicts(t *testing.T) {
	files := map[string]string{"areas/k.html": claim("The kiln ceiling is 1200", 1)}
	broken := fact("broken", "The gate code is 3")
	broken.ValidUntil = "soon"
	markup := WriteRequest{Title: "markup", Type: "verdict", ArticleHTML: "<p><mark>The gate code is 4</mark></p>"}
	requests := []WriteRequest{
		fact("store", "The kiln ceiling is 1300"),    // 0: the saved one
		fact("store again", "The kiln ceiling is 9"), // 1: the saved one, not 0
		fact("first", "The gate code is 1"),          // 2: nobody
		fact("later", "The gate code is 2"),          // 3: 2
		broken,                                       // 4: 2
		markup,                                       // 5: 2
		fact("exact", "The gate code is 2"),          // 6: an exact duplicate of 3
		fact("restated", "The  gate code is 1."),     // 7: 2, the same value
		todo("task", "The gate code is 7"),           // 8: a task
		fact("held", "The kiln ceiling is 1200"),     // 9: an exact duplicate of the saved one
		fact("shapeless", "Total isolation is absent inbox toast by all who live here at last today"), // 10: no slot
	}
	saved := func() *Conflict {
		return &Conflict{Path: "areas/k.html", Key: "the kiln ceiling is", Claim: "The kiln ceiling is 1200"}
	}
	gate := func(same bool) *Conflict {
		return &Conflict{Index: at2(2), Key: "the gate code is", Claim: "The gate code is 1", SameValue: same}
	}
	want := []*Conflict{saved(), saved(), nil, gate(false), gate(false), gate(false), nil, gate(true), nil, nil, nil}
	for _, goOn := range []bool{false, true} {
		t.Run(fmt.Sprint("continue ", goOn), func(t *testing.T) {
			roots(t, files, func(t *testing.T, f *fixture, root *Root) {
				result := mustApply(t, root, ApplyRequest{Operations: operations(requests...), DetectConflicts: true, ContinueOnError: goOn})
				var got []*Conflict
				for _, one := range result.Results {
					got = append(got, one.Conflict)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("conflicts (-want +got)\n%s", diff)
				}
			})
		})
	}
}

func TestLastOneWins(t *testing.T) {
	files := map[string]string{"areas/k.html": claim("The kiln ceiling is 1200", 1)}
	roots(t, files, func(t *testing.T, f *fixture, root *Root) {
		before := f.commits()
		result := mustApply(t, root, ApplyRequest{
			Operations: operations(
				fact("Name", "The kiln ceiling is 1"), fact("Name", "No slot here"),
				fact("Name", "The kiln ceiling is 2"), fact("Name", "The gate code is 5"), fact("Name", "The kiln ceiling is 3"),
			), Consolidate: ConsolidateLastWins,
		})
		want := []OperationResult{
			{Index: 0, OK: true, Path: "areas/inbox/name.html", Action: OutcomeCreated, SupersededPath: "archive/2026/areas/k.html"},
			{Index: 1, OK: true, Path: "areas/inbox/name-2.html", Action: OutcomeCreated},
			{Index: 2, OK: true, ConsolidatedInto: at2(0)},
			{Index: 3, OK: true, Path: "areas/inbox/name-3.html", Action: OutcomeCreated},
			{Index: 4, OK: true, ConsolidatedInto: at2(0)},
		}
		if diff := cmp.Diff(want, result.Results); diff != "" {
			t.Errorf("results (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(ApplySummary{Total: 5, Written: 3, Consolidated: at2(2)}, result.Summary); diff != "" {
			t.Errorf("summary (-want +got)\n%s", diff)
		}
		if got := f.commits() - before; got != 1 {
			t.Errorf("%d commits, want 1", got)
		}
		archived := "archive/2026/areas/k.html"
		winner, loser := memory.Parse([]byte(f.read("areas/inbox/name.html"))), f.metas(archived)
		if len(winner.Links) != 1 || winner.Links[0].Href != "/"+archived || winner.Metas.ValidFrom != result.At || !winner.Accepted() {
			t.Errorf("winner %+v %+v", winner.Links, winner.Metas)
		}
		if loser.SupersededBy != "/areas/inbox/name.html" || loser.ValidUntil != result.At || loser.Status != "archived" {
			t.Errorf("loser %+v", loser)
		}
		f.clean()
	})
}

// What cannot be superseded does not keep a memory from being written (M73).
func TestWhatCannotBeSupersededIsTold(t *testing.T) {
	f := newFixture(t, map[string]string{"areas/k.html": claim("The kiln ceiling is 1200", 1), "archive/2026/areas/k.html": claim("old", 1)})
	result := mustApply(t, f.root, ApplyRequest{Operations: operations(fact("Name", "The kiln ceiling is 1")), Consolidate: ConsolidateLastWins})
	if got := result.Results[0]; !got.OK || got.SupersededPath != "" || len(result.Warnings) != 1 {
		t.Errorf("%+v", result)
	}
}

func TestBatchMergesIntoWhatItWrote(t *testing.T) {
	f := newFixture(t, kilnFiles())
	tagged := func(text, tag string) WriteRequest {
		request := exact(fact("x", text))
		request.Tags = []string{tag}
		return request
	}
	result := mustApply(t, f.root, ApplyRequest{Operations: operations(
		tagged("A new fact", "one"), tagged("A new fact", "two"), tagged("A new fact", "two"),
		tagged("The kiln fires on Friday", "three"), tagged("The kiln fires on Friday", "four"),
	)})
	made := "resources/one/x.html"
	want := []OperationResult{
		{Index: 0, OK: true, Path: made, Action: OutcomeCreated},
		{Index: 1, OK: true, Path: made, Action: OutcomeUpdated, ExistingPath: made},
		{Index: 2, OK: true, Path: made, Action: OutcomeUpdated, ExistingPath: made, Already: true},
		{Index: 3, OK: true, Path: kiln, Action: OutcomeUpdated, ExistingPath: kiln},
		{Index: 4, OK: true, Path: kiln, Action: OutcomeUpdated, ExistingPath: kiln},
	}
	if diff := cmp.Diff(want, result.Results); diff != "" {
		t.Errorf("results (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{made, kiln}, result.WrittenPaths); diff != "" {
		t.Errorf("paths (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"one", "two"}, {"glaze", "three", "four"}}, [][]string{f.metas(made).Tags, f.metas(kiln).Tags}); diff != "" {
		t.Errorf("tags (-want +got)\n%s", diff)
	}
	f.clean()
}

// Not looked for is null, not asked for is absent (G6).
func TestNearDuplicatesAreNullWithoutAnEmbedder(t *testing.T) {
	f := newFixture(t, nil)
	for asked, want := range map[bool]string{
		true:  `{"index":0,"ok":true,"path":"areas/inbox/t-true.html","action":"created","nearDuplicates":null}`,
		false: `{"index":0,"ok":true,"path":"areas/inbox/t-false.html","action":"created"}`,
	} {
		title := fmt.Sprint("t ", asked)
		result := mustApply(t, f.root, ApplyRequest{Operations: operations(fact(title, "fact "+title)), DetectNearDuplicates: asked})
		got, err := json.Marshal(result.Results[0])
		if err != nil || string(got) != want || result.NearDuplicatesDegraded != asked {
			t.Errorf("%s, degraded %v, %v", got, result.NearDuplicatesDegraded, err)
		}
	}
}

func TestDecodeOperations(t *testing.T) {
	input := "\n" + `{"op":"write","title":"T","type":"task","claim":"C","body":"One.\n\nTwo.","path":"areas/x.html","strict_path":true,` +
		`"workspace":"w","tag":"a","tags":["b","c"],"entity":["d"],"entities":"e","importance":3,"confidence":0.5,` +
		`"alias":"f","aliases":["g"],"author":"ann","valid_from":"2026-01-01","valid_until":"2027-01-01","scope":"author","near_threshold":0.9,"near_candidates":4,` +
		`"session_id":"s","prompt_id":"p","turn_uuid":"t","status":"doing","due":"2026-01-01","dedupe":"exact","article_html":null}` + "\r\n  \n" +
		`{"op":"write","title":"U","type":"verdict","body":["One.","Two."]}`
	three, half := 3, 0.5
	want := []WriteOperation{
		{Line: 2, WriteRequest: WriteRequest{
			Title: "T", Type: "task", Claim: "C", Prose: "One.\n\nTwo.", Path: "areas/x.html", StrictPath: true, Workspace: "w",
			Tags: []string{"a", "b", "c"}, Entities: []string{"d", "e"}, Importance: &three, Confidence: &half,
			Aliases: []string{"f", "g"}, Author: "ann", ValidFrom: "2026-01-01", ValidUntil: "2027-01-01",
			Scope: ScopeAuthor, NearThreshold: 0.9, NearCandidates: 4,
			SessionID: "s", PromptID: "p", TurnUUID: "t", Status: "doing", Due: "2026-01-01", Dedupe: DedupeExact,
		}},
		{Line: 4, WriteRequest: WriteRequest{Title: "U", Type: "verdict", Body: []string{"One.", "Two."}}},
	}
	got, err := DecodeOperations(strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDecodeRefusesTheWholeInput(t *testing.T) {
	good := `{"op":"write","title":"T","type":"verdict","claim":"secret text"}` + "\n"
	for input, want := range map[string]string{
		"":                                "There are no operations",
		" \n\n":                           "There are no operations",
		good + "\n{":                      "Line 3: this is not a JSON object",
		good + "null":                     "Line 2: this is not a JSON object",
		good + "[1]":                      "Line 2: this is not a JSON object",
		good + good[:9] + "} {}":          "Line 2: this is not a JSON object",
		`{"title":"T"}`:                   `Line 1: the op is not "write"`,
		`{"op":"archive"}`:                `Line 1: the op is not "write"`,
		`{"op":"write","Title":"T"}`:      `Line 1: there is no field "Title"`,
		`{"op":"write","alia":"T"}`:       `Line 1: there is no field "alia"`,
		`{"op":"write","title":1}`:        "Line 1: the field title takes a text",
		`{"op":"write","tags":[1]}`:       "Line 1: the field tags takes a text or a list of texts",
		`{"op":"write","body":{}}`:        "Line 1: the field body takes a text or a list of texts",
		`{"op":"write","importance":"x"}`: "Line 1: the field importance takes a whole number from 1 to 10",
		`{"op":"write","confidence":""}`:  "Line 1: the field confidence takes a number from 0 to 1",
		`{"op":"write","importance":1.5}`: "Line 1: the field importance takes a whole number from 1 to 10",
	} {
		operations, err := DecodeOperations(strings.NewReader(input))
		if err == nil || operations != nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, %v; want %q", input, operations, err, want)
		}
	}
}

// What an operation supersedes is not there any more for those that follow, and
// what one has updated is not superseded by another.
func TestConsolidationAndUpdatesDoNotMeet(t *testing.T) {
	files := map[string]string{"areas/k.html": claim("The kiln ceiling is 1200", 1)}
	restated := exact(fact("Restated", "The kiln ceiling is 1200"))
	restated.Tags = []string{"new"}
	markup := restated
	markup.Claim, markup.ArticleHTML = "", "<p><mark>The kiln</mark> ceiling is 1200</p>" // the same text, without a slot
	newer := fact("Newer", "The kiln ceiling is 9")

	f := newFixture(t, files)
	result := mustApply(t, f.root, ApplyRequest{Operations: operations(newer, markup), Consolidate: ConsolidateLastWins})
	if got := result.Results; got[0].SupersededPath != "archive/2026/areas/k.html" || got[1].Action != OutcomeCreated {
		t.Errorf("superseded first: %+v", got)
	}
	f.clean()

	f = newFixture(t, files)
	result = mustApply(t, f.root, ApplyRequest{Operations: operations(markup, newer), Consolidate: ConsolidateLastWins})
	if got := result.Results; got[0].Path != "areas/k.html" || got[1].SupersededPath != "" || len(result.Warnings) != 1 {
		t.Errorf("updated first: %+v, %q", got, result.Warnings)
	}
	f.clean()
}

// The words that a field takes were left for the sender to find.
func TestARefusedOperationTellsWhatIsTaken(t *testing.T) {
	f := newFixture(t, nil)
	one := fact("T", "The kiln fires on Friday")
	one.Type = "semantc"
	two := fact("T", "The kiln rests on Sunday")
	two.Dedupe = "exactly"
	result := mustApply(t, f.root, ApplyRequest{Operations: operations(one, two), ContinueOnError: true})
	for i, want := range []string{
		"“semantc” is not a memory type: episodic, semantic, procedural, agent_insight, user_preference, error_pattern, verdict, precedent, arc or task. Did you mean semantic?",
		"dedupe cannot be “exactly”: it is one of off, exact, near, exact-or-near. Did you mean exact?",
	} {
		if got := result.Results[i].Error; !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestANumberMayBeSentAsText(t *testing.T) {
	request, err := DecodeOperation([]byte(`{"op":"write","title":"t","importance":" 7 ","confidence":"0.5"}`))
	if err != nil {
		t.Fatal(err)
	}
	if request.Importance == nil || *request.Importance != 7 || request.Confidence == nil || *request.Confidence != 0.5 {
		t.Errorf("%+v", request)
	}
}
