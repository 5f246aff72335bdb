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

// Each frame by itself ends a session of the library's own server.
func TestSessionSurvivesFrames(t *testing.T) {
	frames := map[string]string{
		"an unknown notification":           `{"jsonrpc":"2.0","method":"$/anythingUnknown","params":{}}`,
		"an unknown notification without $": `{"jsonrpc":"2.0","method":"any/thing","params":[1]}`,
		"a cancel without id":               `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":null}}`,
		"a cancel of nothing":               `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":77}}`,
		"a cancel without params":           `{"jsonrpc":"2.0","method":"$/cancelRequest"}`,
		"initialized without params":        `{"jsonrpc":"2.0","method":"initialized"}`,
		"didChange with a bad version":      `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x","version":"one"},"contentChanges":[]}}`,
		"didChange without params":          `{"jsonrpc":"2.0","method":"textDocument/didChange"}`,
		"didOpen with a number for text":    `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x","text":3}}}`,
		"didClose of nothing":               `{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///nowhere.html"}}}`,
		"didSave without params":            `{"jsonrpc":"2.0","method":"textDocument/didSave"}`,
		"watched files that are not":        `{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"","type":9},{"uri":"git:/x","type":1}]}}`,
		"a configuration of any kind":       `{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":null}}`,
		"an answer to nothing":              `{"jsonrpc":"2.0","id":4711,"result":null}`,
		"null params":                       `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":null}`,
	}
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	for name, frame := range frames {
		t.Run(name, func(t *testing.T) {
			e.Send(frame)
			if _, failure := e.Try("any/thing", nil); failure == nil || failure.Code != -32601 {
				t.Errorf("then an unknown request was answered %v", failure)
			}
		})
	}
	e.WaitCodes(r.path(copied), "duplicate")
	if code := e.Leave(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// A frame that holds no message ended the session; it is answered, and no more.
func TestSessionSurvivesWhatIsNoMessage(t *testing.T) {
	tests := []struct {
		name, frame string
		code        int // 0: it may be an answer, which is never answered
	}{
		{"cut off", `{"jsonrpc":`, -32700},
		{"nothing", ``, -32700},
		{"two values", `{"jsonrpc":"2.0","id":5,"method":"x"} {}`, -32700},
		{"a byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":5,"method":"x"}`, -32700},
		{"null", `null`, -32600},
		{"a number", `3`, -32600},
		{"a batch", `[{"jsonrpc":"2.0","id":5,"method":"x"}]`, -32600},
		{"an empty object", `{}`, -32600},
		{"another version", `{"jsonrpc":"1.0","id":5,"method":"x"}`, -32600},
		{"no version", `{"id":5,"method":"x"}`, -32600},
		{"half an id", `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, -32600},
		{"an object for an id", `{"jsonrpc":"2.0","id":{},"method":"x"}`, -32600},
		{"an id too large", `{"jsonrpc":"2.0","id":99999999999999999999,"method":"x"}`, -32600},
		{"a number for a method", `{"jsonrpc":"2.0","id":5,"method":3}`, -32600},
		{"a bad answer", `{"jsonrpc":"2.0","id":77,"error":"x"}`, 0},
		{"an answer twice over", `{"jsonrpc":"2.0","id":77,"result":1,"error":{"code":1,"message":"x"}}`, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := fakeeditor.Start(t, fakeeditor.Config{}, server(t, lsp.Options{}))
			e.Send(test.frame)
			if _, failure := e.Try("any/thing", nil); failure == nil || failure.Code != -32002 {
				t.Errorf("then a request was answered %v", failure)
			}
			if !e.Answered("null") {
				if test.code != 0 {
					t.Error("not answered")
				}
			} else if _, failure := e.Answer("null"); failure == nil || failure.Code != test.code {
				t.Errorf("answered %v, want %d", failure, test.code)
			}
		})
	}
}

// An id that is no UTF-8 was sent back as it came.
func TestAnswersAreUTF8(t *testing.T) {
	e := fakeeditor.Start(t, fakeeditor.Config{}, server(t, lsp.Options{}))
	e.Send(`{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"x"}`)
	e.Wait("the answer", func() bool { return e.Answered(`"` + "\uFFFD" + `"`) })
}

// Some clients say initialized without params; it starts the work all the same,
// and once.
func TestInitializedWithoutParams(t *testing.T) {
	r := pair(t)
	e := fakeeditor.Start(t, fakeeditor.Config{}, server(t, lsp.Options{}))
	e.Call("initialize", fakeeditor.Object{"capabilities": fakeeditor.VSCode(), "rootPath": r.dir}, nil)
	e.Send(`{"jsonrpc":"2.0","method":"initialized"}`)
	e.Send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	e.WaitCodes(r.path(copied), "duplicate")
	if n := len(e.Asked("client/registerCapability")); n != 1 {
		t.Errorf("registered %d times", n)
	}
}

func TestUnknownRequestsAreAnswered(t *testing.T) {
	e := open(t, pair(t), fakeeditor.VSCode())
	for _, method := range []string{"$/unknown", "any/thing", "textDocument/hover", "textDocument/diagnostic"} {
		_, failure := e.Try(method, fakeeditor.Object{
			"textDocument": fakeeditor.Object{"uri": "file:///x"}, "position": fakeeditor.Position{},
		})
		if failure == nil || failure.Code != -32601 {
			t.Errorf("%s was answered %v", method, failure)
		}
	}
	if _, failure := e.Try("textDocument/codeAction", 7); failure == nil || failure.Code != -32602 {
		t.Errorf("bad params were answered %v", failure)
	}
}

// A change whose range is null is the whole text, not an insertion at the
// start.
func TestNullRangeIsTheWholeText(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	text := strings.Replace(memo("2026-02-03", "Fill the queue"), "<title>", "<title>ä", 1)
	e.Change(r.path(copied), text, fakeeditor.Object{"range": nil, "text": text})
	e.WaitCodes(r.path(copied))
}

// foreign is what other extensions send along.
const foreign = `[
 {"range":{"start":{"line":null,"character":-3},"end":{"line":1.5,"character":99999999999}},"message":{"x":1},"code":{"value":1},"severity":null},
 {"range":null,"code":[],"source":7,"tags":"x","relatedInformation":0}, 5, null]`

func TestForeignDiagnosticsInTheContext(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	at, err := json.Marshal(e.RangeOf(r.path(copied), "Drain the queue"))
	if err != nil {
		t.Fatal(err)
	}
	raw, failure := e.Try("textDocument/codeAction", json.RawMessage(fmt.Sprintf(
		`{"textDocument":{"uri":%q},"range":%s,"context":{"diagnostics":%s}}`, fakeeditor.URI(r.path(copied)), at, foreign)))
	if failure != nil || !strings.Contains(string(raw), "Archive this copy") {
		t.Errorf("%s %v", raw, failure)
	}
}

// Neovim 0.7 counts the columns of echoed ranges in bytes, vim-ale those of
// the request as well.
func TestRangesThatTheClientCountedWrong(t *testing.T) {
	r := newRepo(t,
		drain, memo("2026-01-02", "Über 😀 Drain"), copied, memo("2026-02-03", "Über 😀 Drain"))
	e := open(t, r, fakeeditor.Neovim07())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	line := e.RangeOf(r.path(copied), "Über 😀 Drain").Start.Line
	for _, character := range []int{0, 30, 500} {
		at := fakeeditor.Position{Line: line, Character: character}
		e.Action(e.Actions(r.path(copied), fakeeditor.Range{Start: at, End: at}), "Archive this copy, keep "+drain)
	}
}

func TestChangesArriveInOrder(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.UTF8())
	e.Open(r.path(pool))
	e.WaitCodes(r.path(pool))
	text, _ := e.Buffer(r.path(pool))
	at := strings.Index(text, "The connection")
	const changes = 3000
	for i := range changes {
		word := []string{"é", "😀", "x", "\r\n"}[i%4]
		e.Splice(r.path(pool), at, 0, word)
		if i%3 == 2 {
			e.Splice(r.path(pool), at, len(word), "")
		}
	}
	// The model and the server agree if the claim is told about where the
	// model has it.
	e.Replace(r.path(pool), "The connection pool ceiling is 64", "<b>here</b>")
	e.WaitCodes(r.path(pool), "element-unknown")
	text, _ = e.Buffer(r.path(pool))
	got, ok := e.TextAt(text, e.Diagnostics(r.path(pool))[0].Range)
	if !ok || !strings.HasPrefix(got, "<b>") {
		t.Errorf("after %d changes the finding is at %q", changes, got)
	}
}

// A client that is slow to answer, or never does, is not waited for by others.
func TestRequestsWhileTheClientOwesAnAnswer(t *testing.T) {
	r := pair(t)
	release := make(chan struct{})
	defer close(release)
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(),
		Answer: func(method string, _ json.RawMessage) (any, bool) {
			if method == "client/registerCapability" {
				<-release
			}
			return nil, false
		},
	}, server(t, lsp.Options{CallTimeout: time.Hour}))
	e.Wait("the registration", func() bool { return len(e.Asked("client/registerCapability")) == 1 })
	for range 200 {
		if _, failure := e.Try("any/thing", nil); failure == nil || failure.Code != -32601 {
			t.Fatalf("answered %v", failure)
		}
	}
	e.WaitCodes(r.path(copied), "duplicate")
	started := time.Now()
	if code := e.Leave(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("left after %v", took)
	}
}

func TestNegotiatesTheEncoding(t *testing.T) {
	tests := []struct {
		name    string
		offered any
		want    string
	}{
		{"nothing offered", nil, "utf-16"},
		{"an empty list", []string{}, "utf-16"},
		{"VS Code", []string{"utf-16"}, "utf-16"},
		{"Helix", []string{"utf-8", "utf-32", "utf-16"}, "utf-8"},
		{"utf-8 last", []string{"utf-16", "utf-8"}, "utf-8"},
		{"utf-32 first", []string{"utf-32", "utf-16"}, "utf-32"},
		{"only unknown ones", []string{"utf-7"}, "utf-16"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRepo(t, drain, memo("2026-01-02", "é漢😀 Drain"), copied, memo("2026-02-03", "é漢😀 Drain"))
			caps := fakeeditor.With(fakeeditor.VSCode(), fakeeditor.Object{"general": fakeeditor.Object{"positionEncodings": test.offered}})
			e := open(t, r, caps)
			if e.Encoding() != test.want {
				t.Errorf("negotiated %s, want %s", e.Encoding(), test.want)
			}
			e.WaitCodes(r.path(copied), "duplicate")
			e.Open(r.path(copied))
			e.WaitVersion(r.path(copied))
			e.Replace(r.path(copied), "<title>", "<title>é漢😀")
			e.Splice(r.path(copied), strings.Index(r.read(copied), "2026-02-03</title>")+9, 0, "!")
			e.Replace(r.path(copied), "<p><mark>é漢😀 D", "<p>é漢😀 <mark>é漢😀 D")
			e.WaitCodes(r.path(copied), "near-duplicate")
			e.Replace(r.path(copied), "<p>é漢😀 <mark>", "<p><mark>")
			e.WaitCodes(r.path(copied), "duplicate")
			text, _ := e.Buffer(r.path(copied))
			if got, _ := e.TextAt(text, e.Diagnostics(r.path(copied))[0].Range); got != "é漢😀 Drain" {
				t.Errorf("the range holds %q", got)
			}
		})
	}
}

func TestPullClientIsPushedTo(t *testing.T) {
	r := pair(t)
	caps := fakeeditor.With(fakeeditor.VSCode(), fakeeditor.Object{"textDocument": fakeeditor.Object{"diagnostic": fakeeditor.Object{}}})
	e := open(t, r, caps)
	if _, offered := e.ServerCapabilities()["diagnosticProvider"]; offered {
		t.Error("offers to be pulled from, and pushes: every finding would show twice")
	}
	e.WaitCodes(r.path(copied), "duplicate")
}
