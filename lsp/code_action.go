package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/position"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// codeActionParams are decoded here: the findings that a client echoes in the
// context may be another extension's, with anything in them, or ours with
// ranges that it counted differently. They are not read.
type codeActionParams struct {
	TextDocument struct{ URI string }
	Range        wireRange
	Context      struct{ Only []string }
}

// place is where actions were asked for. It travels in the data of actions
// whose edit is left for later.
type place struct {
	URI     string    `json:"uri"`
	Version int32     `json:"version"`
	Range   [4]uint32 `json:"range"`
	Title   string    `json:"title"`
}

// codeAction answers textDocument/codeAction.
func (s *server) codeAction(ctx context.Context, params []byte) (any, error) {
	var p codeActionParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	at := place{URI: p.TextDocument.URI, Range: [4]uint32{
		uint32(p.Range.Start.Line), uint32(p.Range.Start.Character),
		uint32(p.Range.End.Line), uint32(p.Range.End.Character),
	}}
	v := s.viewAt(at.URI)
	async(ctx)
	if v == nil {
		if err := s.awaitFolders(ctx); err != nil {
			return s.notYet(err)
		}
		v = s.viewAt(at.URI)
	}
	if v == nil || s.capabilities.untrusted {
		return []protocol.CommandOrCodeAction{}, nil
	}
	if err := v.await(ctx); err != nil {
		return s.notYet(err)
	}
	at.Version = v.document.version
	actions, err := v.actions(at)
	if err != nil {
		return []protocol.CommandOrCodeAction{}, ignoreMoved(err)
	}
	out := []protocol.CommandOrCodeAction{}
	for _, action := range actions {
		if !wanted(action.Kind, p.Context.Only) {
			continue
		}
		if converted := v.convert(action, at, s.capabilities.resolveEdit); converted != nil {
			out = append(out, converted)
		}
	}
	return out, nil
}

// notYet answers a request that came before the index: nothing to choose, and
// where the client can show it, why.
func (s *server) notYet(err error) (any, error) {
	var refused *failure.Error
	if !errors.As(err, &refused) {
		return nil, err
	}
	if !s.capabilities.disabledActions {
		return []protocol.CommandOrCodeAction{}, nil
	}
	return []protocol.CommandOrCodeAction{&protocol.CodeAction{
		Title: refused.Message, Disabled: protocol.CodeActionDisabled{Reason: refused.Message},
	}}, nil
}

// ignoreMoved drops the error that says a file is another one by now: there is
// nothing to offer, and newer findings are on their way.
func ignoreMoved(err error) error {
	if errors.Is(err, session.ErrMoved) {
		return nil
	}
	return err
}

// wanted reports whether a kind is one of those asked for, or below one.
func wanted(kind string, only []string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(asked string) bool {
		return asked == "" || kind == asked || strings.HasPrefix(kind, asked+".")
	})
}

// documentView is a document with the View that an answer about it is made of.
type documentView struct {
	s        *server
	document document
	root     *root
	view     *session.View
	// reading is closed when the files that were saved before have entered.
	reading chan struct{}
}

// viewAt takes the View for a document; nil for one that is not open or in no
// root. It is the order-critical part of its callers.
func (s *server) viewAt(spelling string) *documentView {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documentLocked(spelling)
	if d == nil || d.root == nil {
		return nil
	}
	return &documentView{s: s, document: *d, root: d.root, view: d.root.View(), reading: d.root.reading}
}

// await waits for the first index and for what was saved before, after which
// the View is taken again: an action offered right after a save is not disabled
// for unsaved changes.
func (v *documentView) await(ctx context.Context) error {
	if err := v.s.await(ctx, v.root); err != nil {
		return err
	}
	select {
	case <-v.reading:
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(v.s.options.IndexWait):
	}
	if now := v.s.viewAt(v.document.uri); now != nil {
		*v = *now
	}
	return nil
}

// actions returns what the session offers at a place.
func (v *documentView) actions(at place) ([]session.Action, error) {
	m := v.document.mapper(v.s.capabilities.encoding)
	start := m.Offset(position.Position{Line: at.Range[0], Character: at.Range[1]})
	end := m.Offset(position.Position{Line: at.Range[2], Character: at.Range[3]})
	return v.view.Actions(v.document.path, memory.Span{Start: start, End: max(start, end)})
}

// convert turns an action into what this client understands; nil when it
// understands none of it. An edit is left out when later says so.
func (v *documentView) convert(action session.Action, at place, later bool) protocol.CommandOrCodeAction {
	can := v.s.capabilities
	if len(action.Unsaved) > 0 && can.saves {
		action.Disabled = ""
	}
	if action.Disabled != "" && !can.disabledActions || action.MustAsk && !can.prompts {
		return nil
	}
	if _, compare := action.Request.(session.CompareRequest); compare && !can.compares {
		return nil
	}
	if action.Ask != "" && can.prompts {
		action.Title += "…"
	}
	command := v.command(action)
	if !can.literalActions {
		if command.Command == "" {
			return nil
		}
		return &command
	}
	out := &protocol.CodeAction{Title: action.Title, Kind: ptr(protocol.CodeActionKind(action.Kind))}
	if can.preferred && action.Preferred {
		out.IsPreferred = ptr(true)
	}
	switch {
	case action.Disabled != "":
		out.Disabled = protocol.CodeActionDisabled{Reason: action.Disabled}
	case action.Edit != nil && later:
		at.Title = action.Title
		out.Data = rawJSON(at)
	case action.Edit != nil:
		out.Edit = v.edit(*action.Edit)
	default:
		out.Command = command
	}
	return out
}

// edit is a text edit in the one form that the client reads: with the version
// it was computed for, or without.
func (v *documentView) edit(edit session.TextEdit) *protocol.WorkspaceEdit {
	name := uri.URI(v.document.uri)
	text := protocol.TextEdit{
		Range:   rangeOf(v.document.mapper(v.s.capabilities.encoding), edit.Span),
		NewText: edit.New,
	}
	if !v.s.capabilities.documentChanges {
		return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{name: {text}}}
	}
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{&protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: name}, Version: ptr(v.document.version),
		},
		Edits: []protocol.TextDocumentEditElement{&text},
	}}}
}

// CodeActionResolve implements [protocol.Server]: it completes an action whose
// edit was left out, unless the document has moved on since.
func (s *server) CodeActionResolve(ctx context.Context, p *protocol.CodeAction) (*protocol.CodeAction, error) {
	var at place
	if json.Unmarshal(p.Data, &at) != nil || at.URI == "" {
		return p, nil // it was complete
	}
	v := s.viewAt(at.URI)
	async(ctx)
	if v == nil || v.document.version != at.Version {
		return nil, protocol.ErrContentModified
	}
	actions, err := v.actions(at)
	if err != nil {
		return nil, protocol.ErrContentModified
	}
	for _, action := range actions {
		if action.Title == at.Title && action.Edit != nil {
			p.Edit = v.edit(*action.Edit)
			return p, nil
		}
	}
	return nil, protocol.ErrContentModified
}
