package lsp

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/memhtml-ls/memhtml-ls/internal/position"
)

// capabilities are what the client can do, worked out once so that no handler
// pokes in the tree it sent.
type capabilities struct {
	encoding position.Encoding
	// documentChanges: edits may carry versions.
	documentChanges bool
	// resolveEdit: an action's edit may be left for codeAction/resolve.
	resolveEdit bool
	// literalActions: actions may be more than commands.
	literalActions  bool
	disabledActions bool
	preferred       bool
	related         bool
	diagnosticData  bool
	description     bool
	watch           bool
	relativePattern bool
	folders         bool
	progress        bool
	showDocument    bool
	// configuration: the client can be asked for settings; configurationChanges:
	// it tells of changes when it is asked to.
	configuration, configurationChanges bool
	// status and memories: the client asked for memhtml/status, and for
	// memhtml/didChangeMemory.
	status, memories bool
	// pull: the client asks for findings, and can be told that those it has are
	// old. Without the latter they would stay old until somebody types, so that
	// such a client is pushed to.
	pull bool
	// relatedDocuments: an answer about one document may bring others.
	relatedDocuments bool
	// prompts: the client asks the person for what a command lacks.
	prompts bool
	// saves: it saves files before it executes a command; compares: it shows two
	// files side by side; outcomes: it shows what a command did, and what became
	// of the files.
	saves, compares, outcomes bool
	// untrusted: the person does not vouch for the folders. Findings are shown and
	// nothing else is done.
	untrusted bool
}

func resolveCapabilities(p *protocol.InitializeParams) capabilities {
	var c capabilities
	c.encoding = negotiate(p.Capabilities.General)
	c.readWorkspace(p.Capabilities.Workspace)
	c.readTextDocument(p.Capabilities.TextDocument)
	c.readPull(p.Capabilities)
	if window := p.Capabilities.Window; window != nil {
		c.progress = isTrue(window.WorkDoneProgress)
		c.showDocument = window.ShowDocument != nil && window.ShowDocument.Support
	}
	for _, asked := range []protocol.LSPAny{p.InitializationOptions, p.Capabilities.Experimental} {
		c.status = c.status || asksFor(asked, "memhtmlStatus")
		c.memories = c.memories || asksFor(asked, "memhtmlDidChangeMemory")
		c.prompts = c.prompts || asksFor(asked, "memhtmlPrompts")
		c.saves = c.saves || asksFor(asked, "memhtmlSaves")
		c.compares = c.compares || asksFor(asked, "memhtmlCompares")
		c.outcomes = c.outcomes || asksFor(asked, "memhtmlOutcomes")
		c.untrusted = c.untrusted || asksFor(asked, "memhtmlUntrusted")
	}
	return c
}

// negotiate takes utf-8 when it is offered, since files are UTF-8; else what
// comes first of utf-16 and utf-32; utf-16 for a client that offers nothing.
func negotiate(general *protocol.GeneralClientCapabilities) position.Encoding {
	if general == nil {
		return position.UTF16
	}
	offered := general.PositionEncodings
	if slices.Contains(offered, protocol.PositionEncodingKindUTF8) {
		return position.UTF8
	}
	for _, kind := range offered {
		switch kind {
		case protocol.PositionEncodingKindUTF16:
			return position.UTF16
		case protocol.PositionEncodingKindUTF32:
			return position.UTF32
		}
	}
	return position.UTF16
}

func (c *capabilities) readWorkspace(w *protocol.WorkspaceClientCapabilities) {
	if w == nil {
		return
	}
	c.documentChanges = w.WorkspaceEdit != nil && isTrue(w.WorkspaceEdit.DocumentChanges)
	c.folders = isTrue(w.WorkspaceFolders)
	c.configuration = isTrue(w.Configuration)
	c.configurationChanges = w.DidChangeConfiguration != nil && isTrue(w.DidChangeConfiguration.DynamicRegistration)
	if watch := w.DidChangeWatchedFiles; watch != nil {
		c.watch = isTrue(watch.DynamicRegistration)
		c.relativePattern = isTrue(watch.RelativePatternSupport)
	}
}

func (c *capabilities) readTextDocument(t *protocol.TextDocumentClientCapabilities) {
	if t == nil {
		return
	}
	if d := t.PublishDiagnostics; d != nil {
		c.related = isTrue(d.RelatedInformation)
		c.diagnosticData = isTrue(d.DataSupport)
		c.description = isTrue(d.CodeDescriptionSupport)
	}
	if a := t.CodeAction; a != nil {
		c.disabledActions = isTrue(a.DisabledSupport)
		c.preferred = isTrue(a.IsPreferredSupport)
		c.literalActions = len(a.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
		c.resolveEdit = isTrue(a.DataSupport) && slices.Contains(a.ResolveSupport.Properties, "edit")
	}
}

// readPull reads what a client that pulls shows of a finding; most say that
// only of findings that are pushed.
func (c *capabilities) readPull(all protocol.ClientCapabilities) {
	if all.TextDocument == nil || all.TextDocument.Diagnostic == nil || all.Workspace == nil ||
		all.Workspace.Diagnostics == nil || !isTrue(all.Workspace.Diagnostics.RefreshSupport) {
		return
	}
	d := all.TextDocument.Diagnostic
	c.pull = true
	c.relatedDocuments = isTrue(d.RelatedDocumentSupport)
	c.related = c.related || isTrue(d.RelatedInformation)
	c.diagnosticData = c.diagnosticData || isTrue(d.DataSupport)
	c.description = c.description || isTrue(d.CodeDescriptionSupport)
}

// asksFor reads {"<name>": true}; anything else is a no.
func asksFor(raw protocol.LSPAny, name string) bool {
	var asked map[string]json.RawMessage
	return json.Unmarshal(orNull(raw), &asked) == nil && string(asked[name]) == "true"
}
