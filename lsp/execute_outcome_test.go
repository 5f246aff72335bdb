package lsp_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// offering opens an editor that asks for what goes beyond the protocol.
func offering(t *testing.T, r repo, names ...string) *fakeeditor.Editor {
	t.Helper()
	options := fakeeditor.Object{}
	for _, name := range names {
		options[name] = true
	}
	return fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), InitializationOptions: options,
	}, server(t, lsp.Options{}))
}

// outcome is what an answer says to a client that shows it itself.
type outcome struct {
	Code    string
	Outcome struct {
		Message string
		Moved   map[string]string
		Undo    fakeeditor.Object
	}
	Data struct {
		Commit string
		Files  []struct{ From, Path, Before, After string }
	}
}

func outcomeOf(t *testing.T, e *fakeeditor.Editor, command string, args any) outcome {
	t.Helper()
	var got outcome
	e.Call("workspace/executeCommand", fakeeditor.Object{"command": command, "arguments": []any{args}}, &got)
	return got
}

// A client that shows outcomes is told where the file went and how to take it
// back, and neither is shown anything nor asked to.
func TestOutcomeIsTheClients(t *testing.T) {
	r := pair(t)
	e := offering(t, r, "memhtmlOutcomes")
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	before := r.read(copied)
	got := outcomeOf(t, e, "memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))})
	archive := r.git("diff", "--name-only", "--no-renames", "--diff-filter=A", "HEAD~", "HEAD")
	want := map[string]string{fakeeditor.URI(r.path(copied)): fakeeditor.URI(r.path(archive))}
	if diff := cmp.Diff(want, got.Outcome.Moved); diff != "" {
		t.Errorf("moved (-want +got)\n%s", diff)
	}
	if want := fmt.Sprintf("Archived %s (memhtml %s).", copied, short(r)); got.Outcome.Message != want {
		t.Errorf("message %q, want %q", got.Outcome.Message, want)
	}
	shown := outcomeOf(t, e, "memhtml.show", got.Outcome.Undo)
	if files := shown.Data.Files; len(files) != 1 || files[0].From != copied || files[0].Path != archive ||
		files[0].Before != before || files[0].After != r.read(archive) {
		t.Errorf("shown %+v", shown)
	}
	if undone := outcomeOf(t, e, "memhtml.undo", got.Outcome.Undo); undone.Code != "" || r.read(copied) != before {
		t.Errorf("undone %+v", undone)
	}
	if refused := outcomeOf(t, e, "memhtml.archive", fakeeditor.Object{}); refused.Code != "ERR_MISSING_ARGUMENT" || refused.Outcome.Message == "" {
		t.Errorf("refused %+v", refused)
	}
	if shown, asked := messages(t, e), e.Asked("window/showDocument"); len(shown) != 0 || len(asked) != 0 {
		t.Errorf("shown %q and asked %d times", shown, len(asked))
	}
}

// A commit that is not ours is not shown, and a correction is two files.
func TestShow(t *testing.T) {
	r := pools(t)
	e := offering(t, r, "memhtmlOutcomes")
	uri := fakeeditor.URI(r.path(drain))
	if got := outcomeOf(t, e, "memhtml.show", fakeeditor.Object{"uri": uri, "commit": "HEAD"}); got.Code != "ERR_GIT_STATE" {
		t.Errorf("a commit of git: %+v", got)
	}
	done := outcomeOf(t, e, "memhtml.correct", fakeeditor.Object{"target": uri, "claim": "Drain the queue after a deploy"})
	got := outcomeOf(t, e, "memhtml.show", done.Outcome.Undo)
	var sides [][2]bool
	for _, file := range got.Data.Files {
		sides = append(sides, [2]bool{file.Before != "", file.After != ""})
	}
	slices.SortFunc(sides, func(a, b [2]bool) int { return map[bool]int{true: 1}[a[0]] - map[bool]int{true: 1}[b[0]] })
	if diff := cmp.Diff([][2]bool{{false, true}, {true, true}}, sides); diff != "" || got.Data.Commit != done.Data.Commit {
		t.Errorf("sides of %+v (-want +got)\n%s", got, diff)
	}
}

// Only a client that saves is offered what stands on unsaved files, and what it
// saved is expected of it.
func TestUnsavedFilesAreTheClientsToSave(t *testing.T) {
	r := pools(t)
	path, edited := r.path(drain), "Drain the queue after a deploy"
	silent, saving := offering(t, r), offering(t, r, "memhtmlSaves")
	for _, e := range []*fakeeditor.Editor{silent, saving} {
		e.Open(path)
		e.WaitVersion(path)
		e.Replace(path, claim, edited) // which finds nothing either, and so is not answered
	}
	disabled := silent.Action(actionsAt(silent, path, edited), "Archive this memory")
	if disabled.Disabled == nil {
		t.Error("offered with unsaved changes")
	}
	action := saving.Action(actionsAt(saving, path, edited), "Archive this memory")
	var args struct {
		URI    string
		Save   []string
		Expect fakeeditor.Object
	}
	if err := json.Unmarshal(action.Command.Arguments[0], &args); err != nil {
		t.Fatal(err)
	}
	if action.Disabled != nil || !slices.Equal(args.Save, []string{args.URI}) || len(args.Expect) != 0 {
		t.Fatalf("%+v %+v", action, args)
	}
	if got := read(t, saving.Run(action)); got.Code != "ERR_DIRTY_DOCUMENT" {
		t.Errorf("unsaved: %+v", got)
	}
	saving.Save(path)
	sum := sha256.Sum256([]byte(r.read(drain)))
	got := execute(t, saving, "memhtml.archive", fakeeditor.Object{
		"uri": args.URI, "save": args.Save,
		"expect": fakeeditor.Object{args.URI: fakeeditor.Object{"hash": fmt.Sprintf("sha256:%x", sum)}},
	})
	if got.Data.Commit != r.git("rev-parse", "HEAD") {
		t.Errorf("saved: %+v", got)
	}
}

// Two memories are shown side by side by a client that can, and what is to be
// corrected is there to begin with.
func TestWhatAClientNeedsToAsk(t *testing.T) {
	r := pools(t)
	e := offering(t, r, "memhtmlCompares", "memhtmlPrompts")
	e.Open(r.path(newPool))
	e.WaitCodes(r.path(newPool), "frame-key-conflict")
	actions := actionsAt(e, r.path(newPool), "The connection pool ceiling is 128")
	compare := e.Action(actions, "Compare with "+pool)
	var args struct{ URI, Target, Was string }
	if err := json.Unmarshal(compare.Command.Arguments[0], &args); err != nil {
		t.Fatal(err)
	}
	if compare.Command.Command != "memhtml.compareWith" || args.URI != fakeeditor.URI(r.path(newPool)) || args.Target != fakeeditor.URI(r.path(pool)) {
		t.Errorf("%+v", args)
	}
	if err := json.Unmarshal(e.Action(actions, "Correct this memory…").Command.Arguments[0], &args); err != nil {
		t.Fatal(err)
	}
	if args.Was != "The connection pool ceiling is 128" {
		t.Errorf("the claim to correct is %q", args.Was)
	}
}

// In folders that nobody vouches for there are findings, and nothing else: no
// action, no command, no setting of the repository.
func TestUntrustedFolders(t *testing.T) {
	r := pair(t)
	r.write(".memhtml/ls.jsonc", `{"diagnostics": {"severities": {"duplicate": "off"}}}`)
	e := offering(t, r, "memhtmlUntrusted")
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	offered := e.ServerCapabilities()
	commands := offered["executeCommandProvider"].(fakeeditor.Object)["commands"]
	if diff := cmp.Diff([]any{"memhtml.status"}, commands); diff != "" || offered["codeActionProvider"] != nil {
		t.Errorf("offered %v and %v", commands, offered["codeActionProvider"])
	}
	if got := titles(e, r.path(copied), claim); len(got) != 0 {
		t.Errorf("actions %q", got)
	}
	uri := fakeeditor.URI(r.path(copied))
	for _, command := range []string{"memhtml.archive", "memhtml.undo", "memhtml.show", "memhtml.write"} {
		if got := execute(t, e, command, fakeeditor.Object{"uri": uri}); got.Code != "ERR_UNTRUSTED" {
			t.Errorf("%s: %+v", command, got)
		}
	}
	if got := execute(t, e, "memhtml.status", fakeeditor.Object{"uri": uri}); got.Type != "status.report" {
		t.Errorf("status: %+v", got)
	}
	if r.commits() != "1" {
		t.Errorf("%s commits", r.commits())
	}
}
