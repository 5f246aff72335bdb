package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
)

// envelope is what commands answer with.
type envelope struct {
	APIVersion, Type, Code, Error string
	Suggestions                   []string
	Data                          struct {
		Commit            string
		Already           bool
		Path, ArchivePath string
		Keep, Drop        string
		Reverted          string
		Archived          []struct{ Loser, Winner, ArchivePath string }
		DanglingLinks     []string
		DanglingCount     int
	}
}

func read(t testing.TB, raw json.RawMessage) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return e
}

// actionsAt asks for the actions on the claim of an open document.
func actionsAt(e *fakeeditor.Editor, path, claim string) []fakeeditor.CodeAction {
	return e.Actions(path, e.RangeOf(path, claim))
}

const claim = "Drain the queue before a deploy"

func TestArchiveMakesOneCommitAndClearsTheFinding(t *testing.T) {
	r := pair(t)
	r.write("areas/ops/mine.html", "not finished")
	r.git("add", "areas/ops/mine.html")
	r.write("notes.txt", "mine")
	before := r.git("status", "--porcelain")
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	action := e.Action(actionsAt(e, r.path(copied), claim), "Archive this copy, keep "+drain)
	if !action.Preferred || action.Kind != "quickfix" {
		t.Errorf("%+v", action)
	}
	got := read(t, e.Run(action))
	if got.Type != "archive.result" || got.Data.Commit != r.git("rev-parse", "HEAD") {
		t.Fatalf("%+v", got)
	}
	e.WaitCodes(r.path(copied))
	if diff := cmp.Diff(before, r.git("status", "--porcelain")); diff != "" {
		t.Errorf("the person's own work moved (-before +after):\n%s", diff)
	}
	if n := r.commits(); n != "2" {
		t.Errorf("%s commits", n)
	}
	if subject := r.git("log", "-1", "--format=%s"); !strings.HasPrefix(subject, "memhtml(archive): "+copied) {
		t.Errorf("subject %q", subject)
	}
	want := "Archived " + copied + " (memhtml " + got.Data.Commit[:7] + ")."
	if diff := cmp.Diff([]string{want}, messages(t, e)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	e.Wait("the new place", func() bool { return len(e.Asked("window/showDocument")) > 0 })
	shown := e.Asked("window/showDocument")
	if len(shown) != 1 || !strings.Contains(string(shown[0].Params), got.Data.ArchivePath) {
		t.Errorf("the new place was not offered: %v", shown)
	}
}

// messages are the texts that the person was shown.
func messages(t testing.TB, e *fakeeditor.Editor) []string {
	t.Helper()
	var texts []string
	for _, n := range e.Seen("window/showMessage") {
		var p struct{ Message string }
		if err := json.Unmarshal(n.Params, &p); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, p.Message)
	}
	return texts
}

func TestSupersedeFromEitherSide(t *testing.T) {
	const newer = "areas/ops/pool-now.html"
	for title, at := range map[string]string{
		"This supersedes " + pool:  newer,
		newer + " supersedes this": pool,
	} {
		t.Run(title, func(t *testing.T) {
			r := newRepo(t, pool, memo("2026-01-05", "The connection pool ceiling is 64"),
				newer, memo("2026-03-05", "The connection pool ceiling is 128"))
			e := open(t, r, fakeeditor.VSCode())
			e.WaitCodes(r.path(newer), "frame-key-conflict")
			e.Open(r.path(at))
			e.WaitVersion(r.path(at))
			action := e.Action(actionsAt(e, r.path(at), "The connection pool"), title)
			if action.Preferred {
				t.Error("a conflict has no preferred side")
			}
			got := read(t, e.Run(action))
			if len(got.Data.Archived) != 1 || got.Data.Archived[0].Loser != pool {
				t.Fatalf("%+v", got)
			}
			e.WaitCodes(r.path(newer))
			if status := r.git("status", "--porcelain"); status != "" {
				t.Errorf("status: %s", status)
			}
			want := "Superseded " + pool + " (memhtml " + got.Data.Commit[:7] + ")."
			if diff := cmp.Diff([]string{want}, messages(t, e)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// An action that was offered for version 2 makes no commit at version 3
// (golang/go#35114).
func TestStaleActionsAreRefused(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	e.Replace(r.path(copied), "<title>2026-02-03", "<title>2")
	e.Replace(r.path(copied), "<title>2", "<title>2026-02-03")
	e.WaitCodes(r.path(copied), "duplicate")
	action := e.Action(actionsAt(e, r.path(copied), claim), "Archive this copy, keep "+drain)
	e.Replace(r.path(copied), "<title>2026-02-03", "<title>3")
	e.Replace(r.path(copied), "<title>3", "<title>2026-02-03")
	got := read(t, e.Run(action))
	if got.Code != "ERR_STALE_DOCUMENT" || got.Data.Commit != "" {
		t.Errorf("%+v", got)
	}
	if len(messages(t, e)) != 1 || r.commits() != "1" {
		t.Errorf("messages %q, %s commits", messages(t, e), r.commits())
	}
}

func TestDirtyBufferRefuses(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	clean := e.Action(actionsAt(e, r.path(copied), claim), "Archive this copy, keep "+drain)
	e.Replace(r.path(copied), "<title>2026-02-03", "<title>x")
	dirty := e.Action(actionsAt(e, r.path(copied), claim), "Archive this copy, keep "+drain)
	if dirty.Disabled == nil || !strings.Contains(dirty.Disabled.Reason, copied+" has unsaved changes") || dirty.Command != nil {
		t.Errorf("%+v", dirty)
	}
	got := read(t, e.Run(clean))
	if got.Code != "ERR_DIRTY_DOCUMENT" || r.commits() != "1" {
		t.Errorf("%+v, %s commits", got, r.commits())
	}
	want := []string{"Not archived: " + copied + " has unsaved changes. Save it and try again."}
	if diff := cmp.Diff(want, messages(t, e)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// The other file of a supersede is open and dirty.
func TestDirtyOtherSideRefuses(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.Neovim07())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	action := e.Action(actionsAt(e, r.path(copied), claim), "This supersedes "+drain)
	e.Open(r.path(drain))
	e.Replace(r.path(drain), "<title>2026-01-02", "<title>x")
	if got := read(t, e.Run(action)); got.Code != "ERR_DIRTY_DOCUMENT" {
		t.Errorf("%+v", got)
	}
	for _, a := range actionsAt(e, r.path(copied), claim) {
		if a.Disabled != nil || strings.Contains(a.Title, drain) {
			t.Errorf("offered to a client that cannot show it disabled: %+v", a)
		}
	}
}

func TestFileMovedSinceTheOffer(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	action := e.Action(actionsAt(e, r.path(copied), claim), "This supersedes "+drain)
	r.write(drain, memo("2026-01-02", claim)+"<!-- later -->\n")
	if got := read(t, e.Run(action)); got.Code != "ERR_WRITE_CONFLICT" || r.commits() != "1" {
		t.Errorf("%+v, %s commits", got, r.commits())
	}
}

func staleHash(t testing.TB) repo {
	return newRepo(t, pool, strings.Replace(memo("2026-01-05", "The connection pool ceiling is 64"), "</head>",
		`<meta name="memhtml-content-hash" content="sha256:`+strings.Repeat("0", 64)+"\">\n</head>", 1))
}

// Text fixes are edits with the version they were made for, in the one form
// that the client reads.
func TestTextFix(t *testing.T) {
	for name, capabilities := range map[string]fakeeditor.Object{
		"resolved later":          fakeeditor.VSCode(),
		"in UTF-8":                fakeeditor.UTF8(),
		"without documentChanges": fakeeditor.Neovim07(),
		"at once": fakeeditor.With(fakeeditor.VSCode(), fakeeditor.Object{"textDocument": fakeeditor.Object{
			"codeAction": fakeeditor.Object{"resolveSupport": nil},
		}}),
	} {
		t.Run(name, func(t *testing.T) {
			r := staleHash(t)
			e := open(t, r, capabilities)
			e.Open(r.path(pool))
			e.WaitCodes(r.path(pool), "content-hash-stale")
			e.Replace(r.path(pool), "<title>2026", "<title>é漢😀")
			action := e.Action(e.Actions(r.path(pool), e.RangeOf(r.path(pool), "memhtml-content-hash")), "Refresh the content hash")
			if later := name != "at once"; later != (action.Edit == nil) {
				t.Errorf("edit sent: %v", action.Edit)
			}
			e.Run(action)
			e.WaitCodes(r.path(pool))
			if n := r.commits(); n != "1" || r.git("status", "--porcelain") != "" {
				t.Error("a text fix touched the repository")
			}
		})
	}
}

func TestTextFixKeepsLineEnds(t *testing.T) {
	text := strings.Replace(memo("2026-01-05", "é漢😀"), `<meta name="memhtml-status" content="active">`+"\n", "", 1)
	r := newRepo(t, pool, strings.ReplaceAll(text, "\n", "\r\n"))
	for name, capabilities := range map[string]fakeeditor.Object{"utf-16": fakeeditor.VSCode(), "utf-8": fakeeditor.UTF8()} {
		t.Run(name, func(t *testing.T) {
			e := open(t, r, capabilities)
			e.Open(r.path(pool))
			e.WaitCodes(r.path(pool), "meta-missing")
			at := e.Diagnostics(r.path(pool))[0].Range
			e.Run(e.Action(e.Actions(r.path(pool), at), "Insert memhtml-status “active”"))
			e.WaitCodes(r.path(pool))
			want := strings.ReplaceAll(memo("2026-01-05", "é漢😀"), "\n", "\r\n")
			got, _ := e.Buffer(r.path(pool))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestResolveOfAStaleEdit(t *testing.T) {
	r := staleHash(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(pool))
	e.WaitCodes(r.path(pool), "content-hash-stale")
	action := e.Action(e.Actions(r.path(pool), e.RangeOf(r.path(pool), "memhtml-content-hash")), "Refresh the content hash")
	e.Replace(r.path(pool), "<title>2026", "<title>x\n")
	if _, failure := e.Resolve(action); failure == nil || failure.Code != -32801 {
		t.Errorf("answered %v, want content modified", failure)
	}
}

func TestOnlyTheKindsAskedFor(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	at := e.RangeOf(r.path(copied), claim)
	for _, test := range []struct {
		only string
		some bool
	}{{"quickfix", true}, {"refactor", true}, {"source", false}, {"quick", false}, {"refactor.memhtml", true}, {"source.fixAll", false}} {
		actions := e.Actions(r.path(copied), at, test.only)
		if (len(actions) > 0) != test.some {
			t.Errorf("only %s: %+v", test.only, actions)
		}
		for _, a := range actions {
			if a.Kind != test.only && !strings.HasPrefix(a.Kind, test.only+".") {
				t.Errorf("only %s: %s", test.only, a.Kind)
			}
		}
	}
	if elsewhere := e.Actions(r.path(copied), fakeeditor.Range{}); len(elsewhere) != 0 {
		t.Errorf("on the first line: %+v", elsewhere)
	}
}

// A client that knows only commands gets commands.
func TestCommandsForPlainClients(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.Plain())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	var raw []fakeeditor.Command
	e.Call("textDocument/codeAction", fakeeditor.Object{
		"textDocument": fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))},
		"range":        e.RangeOf(r.path(copied), claim), "context": fakeeditor.Object{"diagnostics": []any{}},
	}, &raw)
	for _, command := range raw {
		if command.Title == "Archive this copy, keep "+drain {
			var result json.RawMessage
			e.Call("workspace/executeCommand", command, &result)
			if read(t, result).Data.Commit == "" {
				t.Errorf("%s", result)
			}
			return
		}
	}
	t.Errorf("no such command among %+v", raw)
}

func TestWithoutGit(t *testing.T) {
	r := pair(t)
	if err := removeAll(r.path(".git")); err != nil {
		t.Fatal(err)
	}
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	for _, a := range actionsAt(e, r.path(copied), claim) {
		if a.Disabled == nil || !strings.Contains(a.Disabled.Reason, "git") {
			t.Errorf("%+v", a)
		}
	}
}
