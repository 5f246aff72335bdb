package fakeeditor

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a server that answers every request with its params and sends the
// params of every notification named push as a notification of its own.
func echo(_ context.Context, in io.Reader, out io.Writer) int {
	wire := &frames{in: bufio.NewReader(in), out: out}
	for {
		body, err := wire.read()
		if err != nil {
			return 0
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			return 1
		}
		switch {
		case m.Method == "":
			m = message{Method: "answered", Params: m.Result}
		case m.Method == "push":
			if err := json.Unmarshal(m.Params, &m); err != nil {
				return 1
			}
		case m.ID != nil:
			m = message{ID: m.ID, Result: m.Params}
		default:
			continue
		}
		if wire.write(envelope(m)) != nil {
			return 1
		}
	}
}

func TestExchange(t *testing.T) {
	e := Start(t, Config{}, echo)
	var back Object
	e.Call("any", Object{"x": "é"}, &back)
	if diff := cmp.Diff(Object{"x": "é"}, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	e.Notify("push", Object{"method": "hello", "params": 7})
	e.Wait("hello", func() bool { return len(e.Seen("hello")) == 1 })
	e.Notify("push", Object{"method": "workspace/configuration", "id": 1, "params": Object{"items": []int{1, 2}}})
	e.Wait("the answer", func() bool { return len(e.Seen("answered")) == 1 })
	if got := string(e.Seen("answered")[0].Params); got != "[null,null]" {
		t.Errorf("configuration was answered %s", got)
	}
	if !strings.Contains(e.Log(), "hello") {
		t.Error("the log lacks a message")
	}
}

func TestChangesKeepBufferAndWireAlike(t *testing.T) {
	for encoding, want := range map[string]string{
		"utf-8": `{"line":1,"character":6}`, "utf-16": `{"line":1,"character":3}`, "utf-32": `{"line":1,"character":2}`,
	} {
		e := Start(t, Config{}, echo)
		e.encoding = encoding
		e.OpenText("untitled:x", "html", "a\r\né😀b")
		e.Replace("untitled:x", "b", "cd")
		if text, version := e.Buffer("untitled:x"); text != "a\r\né😀cd" || version != 2 {
			t.Errorf("%s: %q at %d", encoding, text, version)
		}
		start := e.RangeOf("untitled:x", "cd").Start
		if got := string(e.encode(start)); got != want {
			t.Errorf("%s: %s, want %s", encoding, got, want)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	tests := []struct {
		name, edit, refusal string
	}{
		{"an older version", `{"documentChanges":[{"textDocument":{"uri":"untitled:x","version":1},"edits":[]}]}`, "edit for version 1"},
		{"no version", `{"documentChanges":[{"textDocument":{"uri":"untitled:x","version":null},"edits":[]}]}`, "no version"},
		{"a version of a closed document", `{"documentChanges":[{"textDocument":{"uri":"untitled:y","version":2},"edits":[]}]}`, "closed"},
		{"both forms", `{"changes":{},"documentChanges":[]}`, "both forms"},
		{"file operations", `{"documentChanges":[{"kind":"delete"}]}`, "file operation"},
		{
			"a range outside the text",
			`{"changes":{"untitled:x":[{"range":{"start":{"line":0,"character":9},"end":{"line":0,"character":9}},"newText":""}]}}`,
			"no range",
		},
		{
			"overlap",
			`{"changes":{"untitled:x":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":2}},"newText":""},
			 {"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},"newText":""}]}}`,
			"overlap",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := Start(t, Config{Capabilities: VSCode()}, echo)
			e.OpenText("untitled:x", "html", "abcd")
			e.SetText("untitled:x", "abc")
			var edit WorkspaceEdit
			if err := json.Unmarshal([]byte(test.edit), &edit); err != nil {
				t.Fatal(err)
			}
			err := e.Apply(edit)
			if err == nil || !strings.Contains(err.Error(), test.refusal) {
				t.Errorf("got %v, want a refusal with %q", err, test.refusal)
			}
			if text, version := e.Buffer("untitled:x"); text != "abc" || version != 2 {
				t.Errorf("the buffer moved: %q at %d", text, version)
			}
		})
	}
}

func TestApplyEditsOpenAndClosedDocuments(t *testing.T) {
	e := Start(t, Config{Capabilities: Neovim07()}, echo)
	closed := filepath.Join(t.TempDir(), "c d.html")
	if err := os.WriteFile(closed, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	e.OpenText("untitled:x", "html", "abc")
	first := Range{Position{0, 0}, Position{0, 1}}
	last := Range{Position{0, 2}, Position{0, 3}}
	edits := []TextEdit{{last, "L"}, {first, "F"}}
	if err := e.Apply(WorkspaceEdit{Changes: map[string][]TextEdit{"untitled:x": edits, URI(closed): edits}}); err != nil {
		t.Fatal(err)
	}
	text, _ := e.Buffer("untitled:x")
	saved, err := os.ReadFile(closed)
	if err != nil || text != "FbL" || string(saved) != "FbL" {
		t.Errorf("buffer %q, file %q, %v", text, saved, err)
	}
	if err := e.Apply(WorkspaceEdit{DocumentChanges: []DocumentChange{{}}}); err == nil {
		t.Error("documentChanges were applied by a client that does not offer them")
	}
}
