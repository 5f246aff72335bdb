package lsp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// subscriber is an editor that asks to be told of changed memories.
func subscriber(t *testing.T, folders ...string) *fakeeditor.Editor {
	t.Helper()
	return fakeeditor.Open(t, fakeeditor.Config{
		Folders: folders, Capabilities: fakeeditor.VSCode(),
		InitializationOptions: fakeeditor.Object{"memhtmlDidChangeMemory": true},
	}, server(t, lsp.Options{}))
}

// events are the memhtml/didChangeMemory so far, as "event path", with the
// commit demanded to be the last one.
func events(t *testing.T, e *fakeeditor.Editor, r repo) []string {
	t.Helper()
	var all []string
	for _, seen := range e.Seen("memhtml/didChangeMemory") {
		var p struct{ Event, Path, Commit, Root string }
		if err := json.Unmarshal(seen.Params, &p); err != nil {
			t.Fatal(err)
		}
		if p.Root != fakeeditor.URI(r.dir) || r.git("cat-file", "-t", p.Commit) != "commit" {
			t.Errorf("%+v", p)
		}
		all = append(all, p.Event+" "+p.Path)
	}
	return all
}

// written is what the tests look at of a result.
type written struct {
	Type, Code, Error string
	Data              struct {
		Commit, Path, Action, ExistingPath string
		Summary                            struct{ Total, Written, Deduped, Failed, Skipped int }
		Results                            []struct {
			OK         bool
			Path, Code string
		}
	}
}

func executeWrite(t *testing.T, e *fakeeditor.Editor, command string, args fakeeditor.Object) written {
	t.Helper()
	var got written
	e.Call("workspace/executeCommand", fakeeditor.Object{"command": command, "arguments": []any{args}}, &got)
	return got
}

func TestWriteAndItsEvent(t *testing.T) {
	r := pair(t)
	e := subscriber(t, r.dir)
	args := fakeeditor.Object{
		"title": "The gate", "type": "semantic", "claim": "The gate closes at ten.", "body": []string{"It opens at six."},
		"tag": []string{"gate", "hours"}, "entity": "Gate", "importance": 7, "sessionId": "s1", "articleHtml": "", "alias": nil, "workspace": nil,
	}
	got := executeWrite(t, e, "memhtml.write", args)
	if got.Type != "write.result" || got.Data.Action != "created" || got.Data.Commit != r.git("rev-parse", "HEAD") {
		t.Fatalf("%+v", got)
	}
	text := r.read(got.Data.Path)
	for _, part := range []string{
		"<mark>The gate closes at ten.</mark>", "</mark> It opens at six.</p>",
		`name="memhtml-tag" content="hours"`, `name="memhtml-importance" content="7"`, `name="memhtml-session" content="s1"`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
	if strings.Contains(text, "memhtml-alias") {
		t.Errorf("null is an alias in\n%s", text)
	}
	again := executeWrite(t, e, "memhtml.write", args)
	if again.Data.Action != "deduped" || again.Data.Commit != "" || again.Data.ExistingPath != got.Data.Path {
		t.Errorf("again: %+v", again)
	}
	args["dedupe"], args["tag"] = "exact", "evening"
	if merged := executeWrite(t, e, "memhtml.write", args); merged.Data.Action != "updated" || merged.Data.Commit == "" {
		t.Errorf("merged: %+v", merged)
	}
	want := []string{"created " + got.Data.Path, "updated " + got.Data.Path}
	if diff := cmp.Diff(want, events(t, e, r)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Wrote " + got.Data.Path, "Nothing to write: " + got.Data.Path, "Updated " + got.Data.Path},
		beginnings(messages(t, e), got.Data.Path)); diff != "" {
		t.Error(diff)
	}
}

// beginnings cuts messages after a path.
func beginnings(messages []string, path string) []string {
	var cut []string
	for _, message := range messages {
		before, _, _ := strings.Cut(message, path)
		cut = append(cut, before+path)
	}
	return cut
}

func TestApplyIsOneCommitOrNothing(t *testing.T) {
	r := pair(t)
	e := subscriber(t, r.dir)
	gate := fakeeditor.Object{"op": "write", "title": "The gate", "type": "semantic", "claim": "The gate closes at ten."}
	bar := fakeeditor.Object{"op": "write", "title": "The bar", "type": "semantic", "body": "The bar opens at noon.\n\nNot on Sundays."}
	bad := fakeeditor.Object{"op": "write", "title": "The lift", "type": "semantic"}
	refused := executeWrite(t, e, "memhtml.apply", fakeeditor.Object{"operations": []any{gate, bad, bar}})
	if refused.Data.Commit != "" || refused.Data.Summary.Failed != 1 || refused.Data.Results[1].Code != "ERR_MISSING_ARGUMENT" {
		t.Errorf("%+v", refused)
	}
	if r.commits() != "1" || r.git("status", "--porcelain") != "" {
		t.Error("a refused batch changed something")
	}
	got := executeWrite(t, e, "memhtml.apply", fakeeditor.Object{"operations": []any{gate, bad, bar}, "continueOnError": true})
	if got.Data.Summary.Written != 2 || got.Data.Commit != r.git("rev-parse", "HEAD") || r.commits() != "2" {
		t.Fatalf("%+v", got)
	}
	if text := r.read(got.Data.Results[2].Path); !strings.Contains(text, " Not on Sundays.</p>") {
		t.Errorf("the second paragraph is missing in\n%s", text)
	}
	want := []string{"created " + got.Data.Results[0].Path, "created " + got.Data.Results[2].Path}
	if diff := cmp.Diff(want, events(t, e, r)); diff != "" {
		t.Error(diff)
	}
}

func TestWritesRefuseWithEnvelopes(t *testing.T) {
	r := pair(t)
	e := subscriber(t, r.dir)
	outside := fakeeditor.URI(t.TempDir())
	op := func(fields fakeeditor.Object) fakeeditor.Object {
		return fakeeditor.Object{"operations": []any{fields}}
	}
	tests := []struct {
		name, command string
		args          fakeeditor.Object
		code          string
	}{
		{"nothing said", "memhtml.write", fakeeditor.Object{}, "ERR_MISSING_ARGUMENT"},
		{"a title that is a number", "memhtml.write", fakeeditor.Object{"title": 3}, "ERR_INVALID_FLAG"},
		{"two texts", "memhtml.write", fakeeditor.Object{"title": "T", "type": "semantic", "claim": "A.", "articleHtml": "<p><mark>B.</mark></p>"}, "ERR_INVALID_FLAG"},
		{"an arc", "memhtml.write", fakeeditor.Object{"title": "T", "type": "arc", "claim": "A."}, "ERR_INVALID_MEMORY"},
		{"an arc that says it may", "memhtml.write", fakeeditor.Object{"title": "T", "type": "arc", "claim": "A.", "allowArc": true}, "ERR_INVALID_FLAG"},
		{"another folder", "memhtml.write", fakeeditor.Object{"uri": outside, "title": "T", "type": "semantic", "claim": "A."}, "ERR_PATH_NOT_FOUND"},
		{"no embedder", "memhtml.write", fakeeditor.Object{"title": "T", "type": "semantic", "claim": "A.", "dedupe": "near"}, "ERR_MODEL_UNAVAILABLE"},
		{"a taken path", "memhtml.write", fakeeditor.Object{"title": "T", "type": "semantic", "claim": "A.", "path": pool}, "ERR_DESTINATION_EXISTS"},
		{"no operations", "memhtml.apply", fakeeditor.Object{}, "ERR_MISSING_ARGUMENT"},
		{"an unknown field", "memhtml.apply", op(fakeeditor.Object{"op": "write", "titel": "T"}), "ERR_INVALID_FLAG"},
		{"an unknown op", "memhtml.apply", op(fakeeditor.Object{"op": "erase"}), "ERR_INVALID_FLAG"},
		{"no such consolidation", "memhtml.apply", fakeeditor.Object{
			"consolidate": "first-wins", "operations": []any{fakeeditor.Object{"op": "write", "title": "T", "type": "semantic", "claim": "A."}},
		}, "ERR_INVALID_FLAG"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := executeWrite(t, e, test.command, test.args); got.Code != test.code || got.Error == "" {
				t.Errorf("%+v", got)
			}
		})
	}
	if r.commits() != "1" || r.git("status", "--porcelain") != "" || len(e.Seen("memhtml/didChangeMemory")) > 0 {
		t.Error("a refusal changed something, or said so")
	}
}

// With several roots, a write says by a uri which one it is about.
func TestWriteNamesItsRoot(t *testing.T) {
	a, b := pair(t), pair(t)
	e := subscriber(t, a.dir, b.dir)
	args := fakeeditor.Object{"title": "The gate", "type": "semantic", "claim": "The gate closes at ten."}
	if got := executeWrite(t, e, "memhtml.write", args); got.Code != "ERR_MISSING_ARGUMENT" {
		t.Errorf("%+v", got)
	}
	args["uri"] = fakeeditor.URI(b.dir)
	got := executeWrite(t, e, "memhtml.write", args)
	if _, err := os.Stat(b.path(got.Data.Path)); err != nil || a.commits() != "1" || b.commits() != "2" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestArchiveAndSupersedeAreEvents(t *testing.T) {
	r := pair(t)
	e := subscriber(t, r.dir)
	uri := func(rel string) string { return fakeeditor.URI(r.path(rel)) }
	execute(t, e, "memhtml.supersede", fakeeditor.Object{"winner": uri(drain), "loser": uri(copied)})
	execute(t, e, "memhtml.supersede", fakeeditor.Object{"winner": uri(drain), "loser": uri(copied)})
	execute(t, e, "memhtml.archive", fakeeditor.Object{"uri": uri(pool)})
	want := []string{"superseded " + copied, "archived " + pool}
	if diff := cmp.Diff(want, events(t, e, r)); diff != "" {
		t.Error(diff)
	}
	quiet := open(t, r, fakeeditor.VSCode())
	execute(t, quiet, "memhtml.archive", fakeeditor.Object{"uri": uri(drain)})
	if seen := quiet.Seen("memhtml/didChangeMemory"); seen != nil {
		t.Errorf("told without being asked: %v", seen)
	}
}

func TestUpdateChecksWhatTheSenderSaw(t *testing.T) {
	r := pair(t)
	e := subscriber(t, r.dir)
	e.WaitCodes(r.path(copied), "duplicate")
	uri := fakeeditor.URI(r.path(pool))
	sum := sha256.Sum256([]byte(r.read(pool)))
	args := fakeeditor.Object{
		"uri": uri, "tag": "pool", "claim": "The connection pool ceiling is 96", "author": nil,
		"expect": fakeeditor.Object{uri: fakeeditor.Object{"hash": "sha256:" + hex.EncodeToString(sum[:])}},
	}
	got := executeWrite(t, e, "memhtml.update", args)
	if got.Type != "update.result" || got.Data.Action != "updated" || got.Data.Commit != r.git("rev-parse", "HEAD") {
		t.Fatalf("%+v", got)
	}
	if text := r.read(pool); !strings.Contains(text, "ceiling is 96</mark>") || !strings.Contains(text, `name="memhtml-tag" content="pool"`) {
		t.Errorf("not updated:\n%s", text)
	}
	if again := executeWrite(t, e, "memhtml.update", args); again.Code != "ERR_WRITE_CONFLICT" {
		t.Errorf("with the hash of before: %+v", again)
	}
	delete(args, "expect")
	if again := execute(t, e, "memhtml.update", args); !again.Data.Already {
		t.Errorf("once more: %+v", again)
	}
	if nothing := execute(t, e, "memhtml.update", fakeeditor.Object{"uri": uri}); nothing.Code != "ERR_MISSING_ARGUMENT" {
		t.Errorf("nothing to change: %+v", nothing)
	}
	if nowhere := execute(t, e, "memhtml.update", fakeeditor.Object{"tag": "pool"}); nowhere.Code != "ERR_MISSING_ARGUMENT" {
		t.Errorf("no uri: %+v", nowhere)
	}
	if diff := cmp.Diff([]string{"updated " + pool}, events(t, e, r)); diff != "" || r.commits() != "2" {
		t.Errorf("%s commits, %s", r.commits(), diff)
	}
}

// An update is of what is saved: an unsaved buffer refuses it.
func TestUpdateRefusesUnsavedChanges(t *testing.T) {
	r := pair(t)
	e := subscriber(t, r.dir)
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	e.Replace(r.path(pool), "64", "65")
	got := execute(t, e, "memhtml.update", fakeeditor.Object{"uri": fakeeditor.URI(r.path(pool)), "tag": "pool"})
	if got.Code != "ERR_DIRTY_DOCUMENT" || r.commits() != "1" {
		t.Errorf("%+v", got)
	}
}
