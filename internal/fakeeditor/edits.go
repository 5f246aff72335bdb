package fakeeditor

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"sort"
	"strings"
)

// WorkspaceEdit is an edit of documents, in one of its two forms.
type WorkspaceEdit struct {
	Changes         map[string][]TextEdit `json:"changes"`
	DocumentChanges []DocumentChange      `json:"documentChanges"`
}

// DocumentChange is the text edit of one document, or a file operation when
// Kind is set; file operations are refused by this editor.
type DocumentChange struct {
	Kind         string `json:"kind"`
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument"`
	Edits []TextEdit `json:"edits"`
}

// CodeAction is an offered action.
type CodeAction struct {
	Title     string `json:"title"`
	Kind      string `json:"kind"`
	Preferred bool   `json:"isPreferred"`
	Disabled  *struct{ Reason string }
	Edit      *WorkspaceEdit  `json:"edit"`
	Command   *Command        `json:"command"`
	Data      json.RawMessage `json:"data,omitempty"`
	Raw       json.RawMessage `json:"-"`
}

// Command is a server command with its arguments.
type Command struct {
	Title     string            `json:"title"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// Actions asks for the code actions at a range of an open document; the
// context carries what the editor shows there.
func (e *Editor) Actions(path string, r Range, kinds ...string) []CodeAction {
	e.t.Helper()
	context := Object{"diagnostics": e.Diagnostics(path)}
	if e.Diagnostics(path) == nil {
		context["diagnostics"] = []Diagnostic{}
	}
	if kinds != nil {
		context["only"] = kinds
	}
	var raw []json.RawMessage
	e.Call("textDocument/codeAction", Object{"textDocument": Object{"uri": URI(path)}, "range": r, "context": context}, &raw)
	actions := make([]CodeAction, len(raw))
	for i := range raw {
		if err := json.Unmarshal(raw[i], &actions[i]); err != nil {
			e.t.Fatal(err)
		}
		actions[i].Raw = raw[i]
	}
	return actions
}

// Action returns the one action with the given title.
func (e *Editor) Action(actions []CodeAction, title string) CodeAction {
	e.t.Helper()
	var titles []string
	for _, a := range actions {
		if a.Title == title {
			return a
		}
		titles = append(titles, a.Title)
	}
	e.t.Fatalf("no action %q among %q", title, titles)
	return CodeAction{}
}

// Resolve completes an action that came without edit and command, if the
// server resolves.
func (e *Editor) Resolve(a CodeAction) (CodeAction, *Error) {
	e.t.Helper()
	if a.Edit != nil || a.Command != nil {
		return a, nil
	}
	raw, failure := e.Try("codeAction/resolve", a.Raw)
	if failure != nil {
		return a, failure
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		e.t.Fatal(err)
	}
	return a, nil
}

// Run resolves an action and does what it says: the edit, then the command. It
// returns the command's result, or nil.
func (e *Editor) Run(a CodeAction) json.RawMessage {
	e.t.Helper()
	a, failure := e.Resolve(a)
	if failure != nil {
		e.t.Fatalf("resolving %q: %v", a.Title, failure)
	}
	if a.Disabled != nil {
		e.t.Fatalf("%q is disabled: %s", a.Title, a.Disabled.Reason)
	}
	if a.Edit != nil {
		if err := e.Apply(*a.Edit); err != nil {
			e.t.Fatalf("%q: %v", a.Title, err)
		}
	}
	if a.Command == nil {
		return nil
	}
	var result json.RawMessage
	e.Call("workspace/executeCommand", a.Command, &result)
	return result
}

// Apply applies an edit to the open buffers, or to the file where none is
// open. Nothing is changed when any part does not fit: a stale version, a
// range that is not one, both forms at once, documentChanges for a client
// that did not offer them.
func (e *Editor) Apply(edit WorkspaceEdit) error {
	e.t.Helper()
	byURI, err := e.check(edit)
	if err != nil {
		return err
	}
	for uri, edits := range byURI {
		e.mu.Lock()
		b := e.buffers[uri]
		e.mu.Unlock()
		if b == nil {
			if err := editFile(uri, edits, e.Encoding()); err != nil {
				return err
			}
			continue
		}
		text, err := applyEdits(b.text, edits, e.Encoding())
		if err != nil {
			return err
		}
		e.SetText(uri, text)
	}
	return nil
}

// check returns the edits of each document, or why they may not be applied.
func (e *Editor) check(edit WorkspaceEdit) (map[string][]TextEdit, error) {
	if edit.Changes != nil && edit.DocumentChanges != nil {
		return nil, fmt.Errorf("both forms in one edit")
	}
	if edit.DocumentChanges == nil {
		return edit.Changes, nil
	}
	if !e.offersDocumentChanges() {
		return nil, fmt.Errorf("documentChanges were not offered")
	}
	byURI := map[string][]TextEdit{}
	for _, change := range edit.DocumentChanges {
		if change.Kind != "" {
			return nil, fmt.Errorf("file operation %s", change.Kind)
		}
		if err := e.checkVersion(change); err != nil {
			return nil, err
		}
		byURI[change.TextDocument.URI] = append(byURI[change.TextDocument.URI], change.Edits...)
	}
	return byURI, nil
}

// checkVersion holds a document's version against its buffer's: equal for an
// open document, null for a closed one.
func (e *Editor) checkVersion(change DocumentChange) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, version := e.buffers[change.TextDocument.URI], change.TextDocument.Version
	switch {
	case b == nil && version != nil:
		return fmt.Errorf("version %d of a closed document", *version)
	case b != nil && version == nil:
		return fmt.Errorf("no version for the open %s", b.uri)
	case b != nil && *version != b.version:
		return fmt.Errorf("edit for version %d of %s, which is at %d", *version, b.uri, b.version)
	}
	return nil
}

func (e *Editor) offersDocumentChanges() bool {
	workspace, _ := e.config.Capabilities["workspace"].(Object)
	edit, _ := workspace["workspaceEdit"].(Object)
	offered, _ := edit["documentChanges"].(bool)
	return offered
}

// applyEdits applies edits that all refer to text as it is.
func applyEdits(text string, edits []TextEdit, encoding string) (string, error) {
	type splice struct {
		start, end int
		text       string
	}
	var splices []splice
	for _, edit := range edits {
		start, ok := offsetAt(text, edit.Range.Start, encoding)
		end, ok2 := offsetAt(text, edit.Range.End, encoding)
		if !ok || !ok2 || end < start {
			return "", fmt.Errorf("%v is no range of the document", edit.Range)
		}
		splices = append(splices, splice{start, end, edit.NewText})
	}
	sort.SliceStable(splices, func(i, j int) bool { return splices[i].start < splices[j].start })
	var out strings.Builder
	at := 0
	for _, s := range splices {
		if s.start < at {
			return "", fmt.Errorf("edits overlap")
		}
		out.WriteString(text[at:s.start] + s.text)
		at = s.end
	}
	return out.String() + text[at:], nil
}

func editFile(uri string, edits []TextEdit, encoding string) error {
	parsed, err := url.Parse(uri)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(parsed.Path)
	if err != nil {
		return err
	}
	after, err := applyEdits(string(text), edits, encoding)
	if err != nil {
		return err
	}
	return os.WriteFile(parsed.Path, []byte(after), 0o644)
}

// applyRequest answers workspace/applyEdit.
func (e *Editor) applyRequest(params json.RawMessage) Object {
	var asked struct{ Edit WorkspaceEdit }
	if err := json.Unmarshal(params, &asked); err != nil {
		return Object{"applied": false, "failureReason": err.Error()}
	}
	if err := e.Apply(asked.Edit); err != nil {
		return Object{"applied": false, "failureReason": err.Error()}
	}
	return Object{"applied": true}
}
