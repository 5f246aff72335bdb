package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// bothWays runs a test with a client that is pushed to and with one that pulls.
func bothWays(t *testing.T, test func(t *testing.T, capabilities fakeeditor.Object)) {
	t.Run("pushed", func(t *testing.T) { test(t, fakeeditor.VSCode()) })
	t.Run("pulling", func(t *testing.T) { test(t, fakeeditor.Pulling()) })
}

// Every finding showed twice in clients that were pushed to and pulled
// (neovim#29927, rumdl#182), and not at all in those that only the one or the
// other would have reached (ruff#11022).
func TestOneChannelForEachClient(t *testing.T) {
	pull := fakeeditor.Pulling()
	for name, client := range map[string]struct {
		capabilities fakeeditor.Object
		pulls        bool
	}{
		"pulls":                       {pull, true},
		"pulls, takes other files":    {fakeeditor.Neovim012(), true},
		"cannot be told to ask again": {fakeeditor.With(pull, fakeeditor.Object{"workspace": fakeeditor.Object{"diagnostics": nil}}), false},
		"is only told to ask again":   {fakeeditor.With(pull, fakeeditor.Object{"textDocument": fakeeditor.Object{"diagnostic": nil}}), false},
		"offers nothing":              {fakeeditor.Plain(), false},
	} {
		t.Run(name, func(t *testing.T) {
			r := pair(t)
			e := open(t, r, client.capabilities)
			if e.Pulls() != client.pulls {
				t.Fatalf("pulls: %v", e.Pulls())
			}
			e.Open(r.path(copied))
			e.WaitCodes(r.path(copied), "duplicate")
			if n := len(e.Seen("textDocument/publishDiagnostics")); (n == 0) != client.pulls {
				t.Errorf("%d publications", n)
			}
		})
	}
}

func TestWhatIsRegisteredForPulling(t *testing.T) {
	for name, client := range map[string]struct {
		capabilities fakeeditor.Object
		workspace    bool
	}{
		"one document at a time": {fakeeditor.Pulling(), true},
		"takes other files":      {fakeeditor.Neovim012(), false},
	} {
		e := open(t, pair(t), client.capabilities)
		got, err := json.Marshal(e.ServerCapabilities()["diagnosticProvider"])
		want := fmt.Sprintf(`{"identifier":"memhtml","interFileDependencies":true,"workspaceDiagnostics":%v}`, client.workspace)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// hand is a client that pulls, of which a test asks the questions about the
// workspace itself.
func hand(t *testing.T, r repo) *fakeeditor.Editor {
	t.Helper()
	return fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.Pulling(), NoPolling: true,
	}, server(t, lsp.Options{}))
}

// reports is the answer to a question about the workspace.
type reports struct {
	Items []struct {
		Kind, URI string
		ResultID  *string
		Version   *int
		Items     []fakeeditor.Diagnostic
	}
}

// askAll asks about the workspace, with what the client has from earlier answers.
func askAll(e *fakeeditor.Editor, had ...reports) (id string) {
	previous := []fakeeditor.Object{}
	for _, answer := range had {
		for _, item := range answer.Items {
			if item.ResultID != nil {
				previous = append(previous, fakeeditor.Object{"uri": item.URI, "value": *item.ResultID})
			}
		}
	}
	return e.Go("workspace/diagnostic", fakeeditor.Object{"identifier": "memhtml", "previousResultIds": previous})
}

func answerTo(t *testing.T, e *fakeeditor.Editor, id string) (answer reports) {
	t.Helper()
	raw, failure := e.Answer(id)
	if failure != nil {
		t.Fatal(failure)
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return answer
}

// code is what a request failed with, and what came along.
func code(failure *fakeeditor.Error) string {
	if failure == nil {
		return "none"
	}
	return fmt.Sprint(failure.Code, string(failure.Data))
}

// Clients ask about the workspace again as soon as they are answered; answering
// always with everything made them slow (ryl#408, vscode-languageserver-node#1261,
// ty#863).
func TestQuestionAboutTheWorkspaceIsHeld(t *testing.T) {
	r := pair(t)
	e := hand(t, r)
	first := answerTo(t, e, askAll(e))
	if len(first.Items) != 1 || first.Items[0].URI != fakeeditor.URI(r.path(copied)) || first.Items[0].Kind != "full" {
		t.Fatalf("%+v", first)
	}
	held := askAll(e, first)
	r.write(pool, untitled(1))
	r.write(drain, memo("2026-01-02", claim)) // the same bytes
	if e.Answered(held) {
		t.Fatal("answered without a change")
	}
	e.Watched(2, r.path(pool), r.path(drain))
	second := answerTo(t, e, held)
	if len(second.Items) != 1 || second.Items[0].URI != fakeeditor.URI(r.path(pool)) {
		t.Fatalf("answered with %+v", second)
	}
	held = askAll(e, first, second)
	r.remove(pool)
	e.Watched(3, r.path(pool))
	third := answerTo(t, e, held)
	if len(third.Items) != 1 || len(third.Items[0].Items) != 0 || third.Items[0].ResultID != nil {
		t.Errorf("a deleted file is told of with %+v", third)
	}
	held = askAll(e, first)
	askOne(t, e, r.path(copied), "")
	if e.Answered(held) {
		t.Error("answered without a change")
	}
	e.Notify("$/cancelRequest", fakeeditor.Object{"id": json.RawMessage(held)})
	if _, failure := e.Answer(held); code(failure) != "-32800" {
		t.Errorf("a cancelled question was answered %v", code(failure))
	}
	held = askAll(e, first)
	later := askAll(e, first)
	if answer := answerTo(t, e, held); len(answer.Items) != 0 {
		t.Errorf("overtaken, and answered with %+v", answer)
	}
	if code := e.Leave(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if _, failure := e.Answer(later); code(failure) != `-32802{"retriggerRequest":false}` {
		t.Errorf("at shutdown the question was answered %v", code(failure))
	}
}

// A held question does not hold up the end of the server.
func TestHeldQuestionAtTheEndOfInput(t *testing.T) {
	r := pair(t)
	e := hand(t, r)
	held := askAll(e, answerTo(t, e, askAll(e)))
	started := time.Now()
	e.CloseInput()
	e.ExitStatus()
	if took := time.Since(started); took > 3*time.Second {
		t.Errorf("ended after %v", took)
	}
	if _, failure := e.Answer(held); code(failure) != `-32802{"retriggerRequest":false}` {
		t.Errorf("answered %v", code(failure))
	}
}

// Large answers come in parts, the most severe findings first.
func TestAnswerInParts(t *testing.T) {
	var files []string
	for i := range 250 {
		files = append(files, fmt.Sprintf("areas/%03d.html", i), unlinked(i))
	}
	r := newRepo(t, append(files, "areas/z.html", untitled(0))...)
	e := hand(t, r)
	answer := answerTo(t, e, e.Go("workspace/diagnostic", fakeeditor.Object{"previousResultIds": []any{}, "partialResultToken": 7}))
	var all reports
	for _, progress := range e.Seen("$/progress") {
		var part struct {
			Token any
			Value reports
		}
		if err := json.Unmarshal(progress.Params, &part); err != nil {
			t.Fatal(err)
		}
		if part.Token == 7.0 {
			all.Items = append(all.Items, part.Value.Items...)
			if len(part.Value.Items) > 100 {
				t.Errorf("a part of %d reports", len(part.Value.Items))
			}
		}
	}
	if len(answer.Items) > 100 || len(all.Items)+len(answer.Items) != 251 {
		t.Fatalf("%d reports in parts, %d in the answer", len(all.Items), len(answer.Items))
	}
	if first := all.Items[0].URI; first != fakeeditor.URI(r.path("areas/z.html")) {
		t.Errorf("first comes %s", first)
	}
}

// askOne asks about one document and returns the answer as it is.
func askOne(t *testing.T, e *fakeeditor.Editor, where, previous string) string {
	t.Helper()
	params := fakeeditor.Object{"textDocument": fakeeditor.Object{"uri": fakeeditor.URI(where)}}
	if previous != "" {
		params["previousResultId"] = previous
	}
	raw, failure := e.Try("textDocument/diagnostic", params)
	if failure != nil {
		t.Fatal(failure)
	}
	return string(raw)
}

// Closed files' findings were lost on clients that never ask about the
// workspace (ruff#11059).
func TestQuestionAboutOneFile(t *testing.T) {
	r := pair(t)
	e := hand(t, r)
	var full struct{ Kind, ResultID string }
	answer := askOne(t, e, r.path(copied), "")
	if err := json.Unmarshal([]byte(answer), &full); err != nil || full.Kind != "full" || !strings.Contains(answer, `"duplicate"`) {
		t.Fatalf("%v %s", err, answer)
	}
	if got, want := askOne(t, e, r.path(copied), full.ResultID), `{"kind":"unchanged","resultId":"`+full.ResultID+`"}`; got != want {
		t.Errorf("unchanged: %s, want %s", got, want)
	}
	r.write(copied, memo("2026-02-03", "Something else"))
	e.Watched(2, r.path(copied))
	if got := askOne(t, e, r.path(copied), full.ResultID); !strings.Contains(got, `"items":[]`) {
		t.Errorf("after a change: %s", got)
	}
	for _, nothing := range []string{"untitled:x.html", "git:/x/a.html", "file:///nowhere/x.html", r.path("areas/none.html")} {
		if got := askOne(t, e, nothing, ""); !strings.Contains(got, `"items":[]`) {
			t.Errorf("%s: %s", nothing, got)
		}
	}
}

// refreshes is how often the client was told to ask again.
func refreshes(e *fakeeditor.Editor) int { return len(e.Asked("workspace/diagnostic/refresh")) }

// What changes in an open document because another file did is not asked for by
// itself (neovim#28690).
func TestOpenDocumentsAreAskedForAgain(t *testing.T) {
	for name, capabilities := range map[string]fakeeditor.Object{"VS Code": fakeeditor.Pulling(), "Neovim 0.12": fakeeditor.Neovim012()} {
		t.Run(name, func(t *testing.T) {
			r := pair(t)
			e := open(t, r, capabilities)
			e.Open(r.path(copied))
			e.WaitCodes(r.path(copied), "duplicate")
			barrier(t, e)
			before := refreshes(e)
			r.write(drain, memo("2026-01-02", "Something else"))
			e.Watched(2, r.path(drain))
			e.WaitCodes(r.path(copied))
			if n := refreshes(e) - before; n != 1 {
				t.Errorf("told to ask again %d times", n)
			}
			r.write(drain, memo("2026-01-02", claim))
			e.Watched(2, r.path(drain))
			e.WaitCodes(r.path(copied), "duplicate")
			e.Open(r.path(drain))
			e.Replace(r.path(drain), claim, "Something else")
			e.WaitCodes(r.path(copied))
		})
	}
}

// A client that asks for what it changes itself is not told to, nor when nothing
// changed.
func TestNoRefreshForWhatTheClientKnows(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.Pulling())
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	for i := range 10 {
		e.Replace(r.path(pool), "<article>", fmt.Sprintf("<article><b>%d</b>", i))
		e.WaitVersion(r.path(pool))
		e.Replace(r.path(pool), fmt.Sprintf("<article><b>%d</b>", i), "<article>")
		e.WaitVersion(r.path(pool))
	}
	r.write(drain, memo("2026-01-02", claim))
	e.Watched(2, r.path(drain))
	barrier(t, e)
	if n := refreshes(e); n != 0 {
		t.Errorf("told to ask again %d times", n)
	}
}

// One refresh is under way at a time.
func TestOneRefreshAtATime(t *testing.T) {
	r := pair(t)
	release := make(chan struct{})
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.Pulling(),
		Answer: func(method string, _ json.RawMessage) (any, bool) {
			if method == "workspace/diagnostic/refresh" {
				<-release
			}
			return nil, false
		},
	}, server(t, lsp.Options{CallTimeout: time.Hour}))
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	text := []string{"Something else", claim, "Something new"}
	for i, words := range text {
		r.write(drain, memo("2026-01-02", words))
		e.Watched(2, r.path(drain))
		if i == 0 {
			e.Wait("a refresh", func() bool { return refreshes(e) == 1 })
		}
		barrier(t, e)
	}
	if n := refreshes(e); n != 1 {
		t.Errorf("%d refreshes at a time", n)
	}
	close(release)
	e.WaitCodes(r.path(copied))
}

// An answer about one document brings what is new of others, where the client
// takes that: closed files are told of in no other way.
func TestOtherFilesWithADocument(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.Neovim012())
	e.Open(r.path(pool))
	e.WaitCodes(r.path(copied), "duplicate")
	r.write(drain, untitled(1))
	e.Watched(2, r.path(drain))
	e.WaitCodes(r.path(copied))
	e.WaitCodes(r.path(drain), "title-count")
	r.remove(drain)
	e.Watched(3, r.path(drain))
	e.WaitCodes(r.path(drain))
}

// What a buffer showed goes when it is closed without being saved, although the
// client throws away what it is told of a document that it closes.
func TestClosedWithoutSaving(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		e := open(t, r, capabilities)
		e.Open(r.path(pool))
		e.WaitVersion(r.path(pool))
		e.Replace(r.path(pool), "<title>2026-01-05</title>", "")
		e.WaitCodes(r.path(pool), "title-count")
		e.Close(r.path(pool))
		e.WaitCodes(r.path(pool))
	})
}

// A client that asks about the workspace once is told to ask again when that is
// old.
func TestClientThatAsksOnce(t *testing.T) {
	r := pair(t)
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.Pulling(), NoPolling: true,
	}, server(t, lsp.Options{RepollWait: 10 * time.Millisecond}))
	first := answerTo(t, e, askAll(e))
	r.write(pool, untitled(1))
	e.Watched(2, r.path(pool))
	e.Wait("a refresh", func() bool { return refreshes(e) == 1 })
	if second := answerTo(t, e, askAll(e, first)); len(second.Items) != 1 {
		t.Errorf("%+v", second)
	}
}
