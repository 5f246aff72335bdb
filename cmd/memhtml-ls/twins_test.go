//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// twin is one thing that is asked of the command line and of the server. Of the
// fields, those of uris name files of the root.
type twin struct {
	name    string
	args    []string
	command string
	uris    map[string]string
	fields  fakeeditor.Object
	// input is read by the command line from standard input.
	input string
}

var twins = []twin{
	{
		name: "write",
		args: []string{
			"write", "--title", "Lift", "--type", "semantic", "--claim", "The lift is broken.", "--body", "Since May.", "--body", "Ask Ann.",
			"--tag", "lift", "--tag", "house", "--entity", "Lift", "--alias", "elevator", "--importance", "7", "--confidence", "0.5",
			"--author", "ann", "--valid-from", "2026-01-01", "--valid-until", "2027-01-01", "--session-id", "s", "--prompt-id", "p", "--turn-uuid", "t",
			"--workspace", "House",
		},
		command: "memhtml.write",
		fields: fakeeditor.Object{
			"title": "Lift", "type": "semantic", "claim": "The lift is broken.", "body": []string{"Since May.", "Ask Ann."},
			"tag": []string{"lift", "house"}, "entity": "Lift", "alias": "elevator", "importance": 7, "confidence": 0.5,
			"author": "ann", "validFrom": "2026-01-01", "validUntil": "2027-01-01", "sessionId": "s", "promptId": "p", "turnUuid": "t",
			"workspace": "House",
		},
	},
	{
		name: "write what is said", args: []string{"write", "--title", "G", "--type", "semantic", "--claim", "The gate closes at ten."},
		command: "memhtml.write", fields: fakeeditor.Object{"title": "G", "type": "semantic", "claim": "The gate closes at ten."},
	},
	{
		name: "write and update", args: []string{"write", "--title", "G", "--type", "semantic", "--claim", "The gate closes at ten.", "--tag", "gate", "--dedupe", "exact"},
		command: "memhtml.write", fields: fakeeditor.Object{"title": "G", "type": "semantic", "claim": "The gate closes at ten.", "tag": "gate", "dedupe": "exact"},
	},
	{
		name: "write a task", args: []string{"write", "--title", "Paint", "--type", "task", "--claim", "Paint the gate.", "--status", "doing", "--due", "2026-12-24"},
		command: "memhtml.write", fields: fakeeditor.Object{"title": "Paint", "type": "task", "claim": "Paint the gate.", "status": "doing", "due": "2026-12-24"},
	},
	{
		name: "write markup", args: []string{"write", "--title", "L", "--type", "semantic", "--article-html", "<p><mark>The lift is broken.</mark></p>", "--path", "areas/lift.html", "--strict-path"},
		command: "memhtml.write",
		fields:  fakeeditor.Object{"title": "L", "type": "semantic", "articleHtml": "<p><mark>The lift is broken.</mark></p>", "path": "areas/lift.html", "strictPath": true},
	},
	{
		name: "write a path that is taken", args: []string{"write", "--title", "L", "--type", "semantic", "--claim", "A is b.", "--path", "areas/gate.html"},
		command: "memhtml.write", fields: fakeeditor.Object{"title": "L", "type": "semantic", "claim": "A is b.", "path": "areas/gate.html"},
	},
	{
		name: "write to a path that no memory can have", args: []string{"write", "--title", "L", "--type", "semantic", "--claim", "A is b.", "--path", "lift.txt"},
		command: "memhtml.write", fields: fakeeditor.Object{"title": "L", "type": "semantic", "claim": "A is b.", "path": "lift.txt"},
	},
	{
		name: "write without a title", args: []string{"write", "--type", "semantic", "--claim", "A is b."},
		command: "memhtml.write", fields: fakeeditor.Object{"type": "semantic", "claim": "A is b."},
	},
	{
		name: "update", args: []string{"update", "areas/gate.html", "--title", "Gate", "--claim", "The gate closes at nine.", "--body", "In winter.", "--tag", "gate", "--importance", "3"},
		command: "memhtml.update", uris: map[string]string{"uri": "areas/gate.html"},
		fields: fakeeditor.Object{"title": "Gate", "claim": "The gate closes at nine.", "body": []string{"In winter."}, "tag": "gate", "importance": 3},
	},
	{
		name: "update the claim alone", args: []string{"update", "areas/gate.html", "--claim", "The gate closes at nine."},
		command: "memhtml.update", uris: map[string]string{"uri": "areas/gate.html"}, fields: fakeeditor.Object{"claim": "The gate closes at nine."},
	},
	{
		name: "update with an empty body", args: []string{"update", "areas/gate.html", "--body", ""},
		command: "memhtml.update", uris: map[string]string{"uri": "areas/gate.html"}, fields: fakeeditor.Object{"body": ""},
	},
	{
		name: "update what there is several of", args: []string{"update", "areas/gate.html", "--tag", "x", "--remove-tag", "y", "--remove-alias", "z"},
		command: "memhtml.update", uris: map[string]string{"uri": "areas/gate.html"},
		fields: fakeeditor.Object{"tag": "x", "removeTag": "y", "removeAlias": []string{"z"}},
	},
	{
		name: "update nothing", args: []string{"update", "areas/gate.html"},
		command: "memhtml.update", uris: map[string]string{"uri": "areas/gate.html"},
	},
	{
		name: "correct", args: []string{"correct", "areas/gate.html", "--claim", "The gate closes at nine.", "--reason", "winter", "--author", "ann"},
		command: "memhtml.correct", uris: map[string]string{"target": "areas/gate.html"},
		fields: fakeeditor.Object{"claim": "The gate closes at nine.", "reason": "winter", "author": "ann"},
	},
	{
		name: "correct to a duplicate", args: []string{"correct", "areas/gate.html", "--claim", "The bar opens at noon.", "--no-duplicate"},
		command: "memhtml.correct", uris: map[string]string{"target": "areas/gate.html"},
		fields: fakeeditor.Object{"claim": "The bar opens at noon.", "noDuplicate": true},
	},
	{
		name: "archive", args: []string{"archive", "areas/gate.html", "--reason", "gone", "--session-id", "s", "--prompt-id", "p"},
		command: "memhtml.archive", uris: map[string]string{"uri": "areas/gate.html"}, fields: fakeeditor.Object{"reason": "gone", "sessionId": "s", "promptId": "p"},
	},
	{
		name: "archive nothing", args: []string{"archive", "areas/nowhere.html"},
		command: "memhtml.archive", uris: map[string]string{"uri": "areas/nowhere.html"},
	},
	{
		name: "supersede", args: []string{"supersede", "areas/gate.html", "areas/bar.html", "--session-id", "s", "--prompt-id", "p"},
		command: "memhtml.supersede", uris: map[string]string{"winner": "areas/gate.html", "loser": "areas/bar.html"}, fields: fakeeditor.Object{"sessionId": "s", "promptId": "p"},
	},
	{
		name: "link", args: []string{"link", "areas/gate.html", "relates_to", "areas/bar.html", "--session-id", "s", "--prompt-id", "p"},
		command: "memhtml.link", uris: map[string]string{"uri": "areas/gate.html", "target": "areas/bar.html"}, fields: fakeeditor.Object{"rel": "relates_to", "sessionId": "s", "promptId": "p"},
	},
	{
		name: "unlink what is not linked", args: []string{"link", "areas/gate.html", "memhtml-relates-to", "areas/bar.html", "--remove"},
		command: "memhtml.link", uris: map[string]string{"uri": "areas/gate.html", "target": "areas/bar.html"}, fields: fakeeditor.Object{"rel": "memhtml-relates-to", "remove": true},
	},
	{
		name: "merge", args: []string{"merge", "areas/gate.html", "areas/bar.html", "--session-id", "s", "--prompt-id", "p"},
		command: "memhtml.merge", uris: map[string]string{"keep": "areas/gate.html", "drop": "areas/bar.html"}, fields: fakeeditor.Object{"sessionId": "s", "promptId": "p"},
	},
	{name: "undo nothing", args: []string{"undo"}, command: "memhtml.undo"},
	{
		name: "apply", args: []string{"apply", "--continue-on-error", "--detect-conflicts"}, command: "memhtml.apply",
		input: `{"op":"write","title":"Lift","type":"semantic","claim":"The lift is broken.","tags":["lift"]}
{"op":"write","title":"Bar","type":"semantic"}
{"op":"write","title":"Bar","type":"semantic","body":"The bar opens at noon."}`,
		fields: fakeeditor.Object{"continueOnError": true, "detectConflicts": true, "operations": []any{
			fakeeditor.Object{"op": "write", "title": "Lift", "type": "semantic", "claim": "The lift is broken.", "tags": []string{"lift"}},
			fakeeditor.Object{"op": "write", "title": "Bar", "type": "semantic"},
			fakeeditor.Object{"op": "write", "title": "Bar", "type": "semantic", "body": "The bar opens at noon."},
		}},
	},
}

// TestTwins holds the command line and the server against each other: the same
// envelope, and the same files.
func TestTwins(t *testing.T) {
	for _, pair := range hermetic(t.TempDir()) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	for _, tt := range twins {
		t.Run(tt.name, func(t *testing.T) {
			claims := map[string]string{"areas/gate.html": "The gate closes at ten.", "areas/bar.html": "The bar opens at noon."}
			one, other := newRoot(t, claims), newRoot(t, claims)
			cmd := process(t, one, append(tt.args, "--format", "json")...)
			cmd.Stdin = strings.NewReader(tt.input)
			typed := outcomeOf(t, cmd)
			answered := tt.ask(t, other)
			if diff := cmp.Diff(steady(t, typed.Stdout), steady(t, answered)); diff != "" {
				t.Errorf("the envelopes (-command line +server):\n%s", diff)
			}
			if diff := cmp.Diff(files(t, one), files(t, other)); diff != "" {
				t.Errorf("the files (-command line +server):\n%s", diff)
			}
			if a, b := gitIn(t, one, "log", "--format=%B"), gitIn(t, other, "log", "--format=%B"); a != b {
				t.Errorf("the log of the command line:\n%s\nof the server:\n%s", a, b)
			}
		})
	}
}

// ask executes the server command in a root.
func (tt twin) ask(t *testing.T, dir string) string {
	t.Helper()
	e := fakeeditor.Open(t, fakeeditor.Config{Folders: []string{dir}, Capabilities: fakeeditor.Plain()},
		func(ctx context.Context, in io.Reader, out io.Writer) int {
			return lsp.Serve(ctx, in, out, lsp.Options{Logger: slog.New(slog.DiscardHandler)})
		})
	object := fakeeditor.Object{}
	for name, value := range tt.fields {
		object[name] = value
	}
	for name, path := range tt.uris {
		object[name] = fakeeditor.URI(filepath.Join(dir, path))
	}
	var raw json.RawMessage
	e.Call("workspace/executeCommand", fakeeditor.Object{"command": tt.command, "arguments": []any{object}}, &raw)
	return string(raw)
}

// steady is an envelope with what differs from run to run replaced, and without
// what a server alone looks for.
func steady(t *testing.T, envelope string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(steadyText(envelope)), &value); err != nil {
		t.Fatalf("%v in %s", err, envelope)
	}
	if data, ok := value.(map[string]any)["data"].(map[string]any); ok {
		delete(data, "danglingLinks")
		delete(data, "danglingCount")
	}
	return value
}

func steadyText(text string) string {
	return times.ReplaceAllString(commits.ReplaceAllString(text, "COMMIT"), "TIME")
}

// files are the files of a root by path, git's own left out.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && entry.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[rel] = steadyText(string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
