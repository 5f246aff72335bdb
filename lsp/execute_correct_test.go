package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// prompting opens an editor that can ask the person for what a command lacks.
func prompting(t *testing.T, r repo) *fakeeditor.Editor {
	t.Helper()
	return fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(),
		InitializationOptions: fakeeditor.Object{"memhtmlPrompts": true},
	}, server(t, lsp.Options{}))
}

// titles are those of the actions on a claim.
func titles(e *fakeeditor.Editor, path, claim string) []string {
	var out []string
	for _, action := range actionsAt(e, path, claim) {
		out = append(out, action.Title)
	}
	return out
}

// nextDrain is where the correction of drain goes.
const nextDrain = "areas/ops/drain-2.html"

const newPool = "areas/ops/pool-now.html"

// pools is a repository in which two memories fill one slot.
func pools(t *testing.T) repo {
	return newRepo(t, pool, memo("2026-01-05", "The connection pool ceiling is 64"),
		newPool, memo("2026-03-05", "The connection pool ceiling is 128"),
		drain, memo("2026-01-02", claim))
}

// told is the one message after a command.
func told(t *testing.T, e *fakeeditor.Editor, want ...string) {
	t.Helper()
	e.Wait("the message", func() bool { return len(e.Seen("window/showMessage")) >= len(want) })
	if diff := cmp.Diff(want, messages(t, e)); diff != "" {
		t.Errorf("messages (-want +got)\n%s", diff)
	}
}

func short(r repo) string { return r.git("rev-parse", "--short=7", "HEAD") }

func TestPromptsAreForClientsThatAsk(t *testing.T) {
	r := pools(t)
	silent, asking := open(t, r, fakeeditor.VSCode()), prompting(t, r)
	for _, e := range []*fakeeditor.Editor{silent, asking} {
		e.Open(r.path(drain))
		e.WaitVersion(r.path(drain))
	}
	if diff := cmp.Diff([]string{"Archive this memory"}, titles(silent, r.path(drain), claim)); diff != "" {
		t.Errorf("a client without prompts (-want +got)\n%s", diff)
	}
	actions := actionsAt(asking, r.path(drain), claim)
	asked := map[string]string{}
	for _, action := range actions {
		var args struct{ Ask string }
		if err := json.Unmarshal(action.Command.Arguments[0], &args); err != nil {
			t.Fatal(err)
		}
		asked[action.Title] = args.Ask
	}
	if diff := cmp.Diff(map[string]string{"Correct this memory…": "claim", "Archive this memory…": "reason"}, asked); diff != "" {
		t.Errorf("a client with prompts (-want +got)\n%s", diff)
	}
}

func TestCorrectWithThePersonsWords(t *testing.T) {
	r := pools(t)
	e := prompting(t, r)
	e.Open(r.path(drain))
	e.WaitVersion(r.path(drain))
	action := e.Action(actionsAt(e, r.path(drain), claim), "Correct this memory…")
	if got := read(t, e.Run(action)); got.Code != "ERR_MISSING_ARGUMENT" {
		t.Errorf("without the claim: %+v", got)
	}
	var args fakeeditor.Object
	if err := json.Unmarshal(action.Command.Arguments[0], &args); err != nil {
		t.Fatal(err)
	}
	args["claim"], args["reason"] = "Drain the queue after a deploy", "It was the wrong way round."
	got := execute(t, e, action.Command.Command, args)
	if got.Type != "correct.result" || got.Data.Commit != r.git("rev-parse", "HEAD") || got.Data.Path != nextDrain {
		t.Fatalf("%+v", got)
	}
	if !strings.Contains(r.read(nextDrain), "after a deploy") || r.git("log", "-1", "--format=%b") != "It was the wrong way round." {
		t.Errorf("%s", r.git("show"))
	}
	e.Wait("the new file", func() bool { return len(e.Asked("window/showDocument")) > 0 })
}

// Nothing is shown for a file that stays, as it does where its path is asked for.
func TestCorrectInItsPlaceShowsNothing(t *testing.T) {
	r := pools(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(drain))
	e.WaitVersion(r.path(drain))
	got := execute(t, e, "memhtml.correct", fakeeditor.Object{
		"target": fakeeditor.URI(r.path(drain)), "claim": "Drain the queue after a deploy", "path": drain,
	})
	year := time.Now().UTC().Year()
	told(t, e, "Corrected "+drain+" (memhtml "+short(r)+").",
		fmt.Sprintf("%s can be neither archived nor corrected before %d: archive/%d/%[1]s is taken.", drain, year+1, year))
	if n := len(e.Asked("window/showDocument")); got.Data.Path != drain || n != 0 {
		t.Errorf("shown %d documents for %+v", n, got)
	}
}

// A correction that goes elsewhere is shown to whoever has the old file open.
func TestCorrectShowsTheNewFile(t *testing.T) {
	r := pools(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(drain))
	e.WaitVersion(r.path(drain))
	got := execute(t, e, "memhtml.correct", fakeeditor.Object{
		"target": fakeeditor.URI(r.path(drain)), "title": "Deploy order", "claim": "Drain the queue after a deploy", "path": "areas/ops/order.html",
	})
	if got.Data.Path != "areas/ops/order.html" {
		t.Fatalf("%+v", got)
	}
	e.Wait("the new file", func() bool { return len(e.Asked("window/showDocument")) > 0 })
	if shown := string(e.Asked("window/showDocument")[0].Params); !strings.Contains(shown, "areas/ops/order.html") {
		t.Errorf("shown %s", shown)
	}
	told(t, e, "Corrected "+drain+": it is now areas/ops/order.html (memhtml "+short(r)+").")
}

func TestCommitAnEditAsACorrection(t *testing.T) {
	const title = "Commit this edit as a correction"
	r := pools(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(drain))
	e.WaitVersion(r.path(drain))
	e.Replace(r.path(drain), "<mark>"+claim, "<mark>Drain the queue after a deploy")
	e.Save(r.path(drain))
	var action fakeeditor.CodeAction
	e.Wait("the action", func() bool {
		for _, offered := range actionsAt(e, r.path(drain), "Drain the queue after") {
			if offered.Title == title && offered.Disabled == nil {
				action = offered
				return true
			}
		}
		return false
	})
	got := read(t, e.Run(action))
	if got.Type != "correct.result" || got.Data.Path != nextDrain || r.commits() != "2" || r.git("status", "--porcelain") != "" {
		t.Fatalf("%+v\n%s", got, r.git("status"))
	}
	told(t, e, "Corrected "+drain+": it is now "+nextDrain+" (memhtml "+short(r)+").")
	e.Wait("the new file", func() bool { return len(e.Asked("window/showDocument")) > 0 })
	if shown := string(e.Asked("window/showDocument")[0].Params); !strings.Contains(shown, nextDrain) {
		t.Errorf("shown %s", shown)
	}
	// The tab that is left is no copy of the correction, nor in the way of undo.
	e.WaitCodes(r.path(drain))
	if got := execute(t, e, "memhtml.correctFromEdit", fakeeditor.Object{"uri": fakeeditor.URI(r.path(drain))}); got.Code != "ERR_PATH_NOT_FOUND" {
		t.Errorf("once more: %+v", got)
	}
	if got := execute(t, e, "memhtml.undo", fakeeditor.Object{}); got.Code != "" {
		t.Errorf("undone: %+v", got)
	}
}

// Who archives or corrects a memory is told whose links it leaves without a target.
func TestCommitsTellWhoseLinksDangle(t *testing.T) {
	const linker = "areas/ops/linker.html"
	link := `<link rel="memhtml-supports" href="/` + drain + `">` + "\n</head>"
	r := newRepo(t, drain, memo("2026-01-02", claim), linker, strings.Replace(memo("2026-01-03", "Deploy at noon"), "</head>", link, 1))
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(linker))
	e.WaitCodes(r.path(linker))
	got := execute(t, e, "memhtml.correct", fakeeditor.Object{"target": fakeeditor.URI(r.path(drain)), "claim": "Drain the queue after a deploy"})
	if diff := cmp.Diff([]string{linker}, got.Data.DanglingLinks); diff != "" || got.Data.DanglingCount != 1 {
		t.Errorf("%+v", got)
	}
	told(t, e, "Corrected "+drain+": it is now "+nextDrain+" (memhtml "+short(r)+"). Links dangle now in "+linker+".")
	e.WaitCodes(r.path(linker), "dangling-link")
}

func TestKeepBothAndUndo(t *testing.T) {
	r := pools(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(newPool))
	e.WaitCodes(r.path(newPool), "frame-key-conflict")
	action := e.Action(actionsAt(e, r.path(newPool), "The connection"), "Keep both: they contradict")
	got := read(t, e.Run(action))
	if got.Type != "link.result" || !strings.Contains(r.read(newPool), `rel="memhtml-contradicts" href="/`+pool) {
		t.Fatalf("%+v", got)
	}
	reload := func() { e.SetText(r.path(newPool), r.read(newPool)) }
	reload()
	e.WaitCodes(r.path(newPool))
	told(t, e, "Kept both and linked "+newPool+" (memhtml "+short(r)+").",
		"memhtml lets memories that contradict another fade sooner.")
	reverted := r.git("rev-parse", "HEAD")
	undone := execute(t, e, "memhtml.undo", fakeeditor.Object{"uri": fakeeditor.URI(r.path(pool)), "commit": reverted})
	if undone.Type != "undo.result" || undone.Data.Reverted != reverted || r.git("diff", "--stat", "HEAD~2", "HEAD") != "" {
		t.Errorf("%+v", undone)
	}
	reload()
	e.WaitCodes(r.path(newPool), "frame-key-conflict")
}

func TestMergeFromACodeAction(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	got := read(t, e.Run(e.Action(actionsAt(e, r.path(copied), claim), "Merge into "+drain)))
	if got.Type != "merge.result" || got.Data.Keep != drain || got.Data.Drop != copied || got.Data.ArchivePath == "" {
		t.Fatalf("%+v", got)
	}
	e.WaitCodes(r.path(copied))
	told(t, e, "Merged "+copied+" (memhtml "+short(r)+").")
}

func TestSupersedeManyAndLink(t *testing.T) {
	r := pools(t)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(newPool), "frame-key-conflict")
	uri := func(rel string) string { return fakeeditor.URI(r.path(rel)) }
	linked := execute(t, e, "memhtml.link", fakeeditor.Object{"uri": uri(newPool), "rel": "supports", "target": uri(drain)})
	if linked.Type != "link.result" || r.git("log", "-1", "--format=%s") != "memhtml(link): supports "+newPool+" -> "+drain {
		t.Errorf("%+v", linked)
	}
	got := execute(t, e, "memhtml.supersedeMany", fakeeditor.Object{"pairs": []fakeeditor.Object{
		{"winner": uri(newPool), "loser": uri(pool)}, {"winner": uri(newPool), "loser": uri(drain)},
	}})
	if len(got.Data.Archived) != 2 || r.commits() != "3" {
		t.Fatalf("%+v", got)
	}
	messages := messages(t, e)
	if want := "Superseded 2 memories (memhtml " + short(r) + "). Links dangle now in " + newPool + "."; messages[len(messages)-1] != want {
		t.Errorf("told %q", messages)
	}
}

func TestCorrectingCommandsRefuseWithEnvelopes(t *testing.T) {
	r := pools(t)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(newPool), "frame-key-conflict")
	uri := func(rel string) string { return fakeeditor.URI(r.path(rel)) }
	type object = fakeeditor.Object
	tests := []struct {
		name, command string
		args          object
		code          string
	}{
		{"no target", "memhtml.correct", object{"claim": "x"}, "ERR_MISSING_ARGUMENT"},
		{"no claim", "memhtml.correct", object{"target": uri(pool)}, "ERR_MISSING_ARGUMENT"},
		{"no file to correct from", "memhtml.correctFromEdit", object{}, "ERR_MISSING_ARGUMENT"},
		{"nothing edited", "memhtml.correctFromEdit", object{"uri": uri(pool)}, "ERR_INVALID_MEMORY"},
		{"no relation", "memhtml.link", object{"uri": uri(pool), "target": uri(drain)}, "ERR_MISSING_ARGUMENT"},
		{"no such relation", "memhtml.link", object{"uri": uri(pool), "target": uri(drain), "rel": "likes"}, "ERR_INVALID_FLAG"},
		{"no source", "memhtml.link", object{"target": uri(drain), "rel": "supports"}, "ERR_MISSING_ARGUMENT"},
		{"nothing to keep it beside", "memhtml.keepBoth", object{"uri": uri(pool)}, "ERR_MISSING_ARGUMENT"},
		{"another relation", "memhtml.keepBoth", object{"uri": uri(pool), "target": uri(newPool), "rel": "supports"}, "ERR_INVALID_FLAG"},
		{"no keep", "memhtml.merge", object{"drop": uri(pool)}, "ERR_MISSING_ARGUMENT"},
		{"no drop", "memhtml.merge", object{"keep": uri(pool)}, "ERR_MISSING_ARGUMENT"},
		{"into itself", "memhtml.merge", object{"keep": uri(pool), "drop": uri(pool)}, "ERR_ROLE_CONFLICT"},
		{"no pairs", "memhtml.supersedeMany", object{}, "ERR_MISSING_ARGUMENT"},
		{"half a pair", "memhtml.supersedeMany", object{"pairs": []object{{"winner": uri(pool)}}}, "ERR_MISSING_ARGUMENT"},
		{"a pair elsewhere", "memhtml.supersedeMany", object{"pairs": []object{{"winner": uri(pool), "loser": "file:///etc/x.html"}}}, "ERR_PATH_NOT_FOUND"},
		{"nothing to undo", "memhtml.undo", object{}, "ERR_GIT_STATE"},
		{"no commit", "memhtml.undo", object{"commit": "main"}, "ERR_INVALID_FLAG"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := execute(t, e, test.command, test.args); got.Code != test.code || got.Error == "" {
				t.Errorf("%+v", got)
			}
		})
	}
	if r.commits() != "1" || r.git("status", "--porcelain") != "" {
		t.Error("a refusal changed the repository")
	}
}

func TestCorrectionsAndLinksAreEvents(t *testing.T) {
	r := pools(t)
	e := subscriber(t, r.dir)
	uri := func(rel string) string { return fakeeditor.URI(r.path(rel)) }
	execute(t, e, "memhtml.keepBoth", fakeeditor.Object{"uri": uri(newPool), "target": uri(pool)})
	execute(t, e, "memhtml.keepBoth", fakeeditor.Object{"uri": uri(newPool), "target": uri(pool)})
	execute(t, e, "memhtml.correct", fakeeditor.Object{"target": uri(drain), "claim": "Drain the queue after a deploy"})
	execute(t, e, "memhtml.merge", fakeeditor.Object{"keep": uri(pool), "drop": uri(newPool)})
	execute(t, e, "memhtml.undo")
	want := []string{
		"linked " + newPool, "superseded " + drain, "created " + nextDrain,
		"superseded " + newPool, "updated " + pool, "updated " + newPool, "updated " + pool,
	}
	if diff := cmp.Diff(want, events(t, e, r)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
