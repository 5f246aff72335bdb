package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// serverName is what clients show for this server.
const serverName = "memhtml-ls"

// Initialize implements [protocol.Server]. It only listens: folders are opened
// once the client is ready to be told about it.
func (s *server) Initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.capabilities = resolveCapabilities(p)
	s.folders = foldersOf(p)
	s.choices.initial = readChoice(p.InitializationOptions)
	if !s.life.advance(created, initialized) {
		return nil, errInitializeTwice
	}
	s.startPublishing()
	if p.ProcessID != nil && *p.ProcessID > 0 {
		pid := int(*p.ProcessID)
		s.start("watchdog", func(ctx context.Context) {
			watchdog(ctx, pid, s.options.WatchdogTick, func() { s.end(1) })
		})
	}
	return &protocol.InitializeResult{
		Capabilities: s.offer(),
		ServerInfo:   protocol.ServerInfo{Name: serverName, Version: protocol.NewOptional(s.options.Version)},
	}, nil
}

// offer is what the server can do for this client.
func (s *server) offer() protocol.ServerCapabilities {
	offered := protocol.ServerCapabilities{
		PositionEncoding: protocol.PositionEncodingKind(s.capabilities.encoding),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: ptr(true),
			Change:    ptr(protocol.TextDocumentSyncKindIncremental),
			Save:      protocol.Boolean(true),
		},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: s.commandNames()},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: ptr(true), ChangeNotifications: protocol.Boolean(true),
		}},
	}
	if !s.capabilities.untrusted {
		offered.CodeActionProvider = &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, protocol.CodeActionKindRefactor},
			ResolveProvider: ptr(s.capabilities.resolveEdit),
		}
	}
	if s.capabilities.pull {
		offered.DiagnosticProvider = &protocol.DiagnosticOptions{
			Identifier: ptr(source), InterFileDependencies: true,
			// A client that takes other files with a document learns of all of them that
			// way. Neovim 0.12 asks only for the workspace when it is told to ask again,
			// and takes nothing about open documents from the answer, where there is one.
			WorkspaceDiagnostics: !s.capabilities.relatedDocuments,
		}
	}
	return offered
}

// startPublishing chooses how the client learns of findings: it pulls them, or
// they are pushed, never both.
func (s *server) startPublishing() {
	var c channel
	if s.capabilities.pull {
		s.pulled = newPulled(s.capabilities.relatedDocuments)
		c = s.pulled
		s.start("refresh", s.refreshWhenStale)
	} else {
		c = newPushed(func(p *protocol.PublishDiagnosticsParams) {
			s.published.Add(1)
			s.client.notify(protocol.MethodTextDocumentPublishDiagnostics, p)
		})
	}
	s.maxFiles.Store(int64(s.chosen().Diagnostics.MaxFiles))
	s.publisher = newPublisher(int(s.maxFiles.Load()), c, s.diagnoser.again)
	s.start("publish", s.diagnoser.run)
}

// foldersOf returns the paths of the folders that the client works in, as it
// names them, from whichever of three places it uses.
func foldersOf(p *protocol.InitializeParams) []string {
	var names []string
	if folders, ok := p.WorkspaceFolders.Get(); ok {
		for _, folder := range folders {
			names = append(names, folder.URI.String())
		}
	}
	//lint:ignore SA1019 older clients name their folder nowhere else
	if rootURI := p.RootURI; len(names) == 0 && rootURI != nil {
		names = append(names, rootURI.String())
	}
	var paths []string
	for _, name := range names {
		if path, ok := pathOf(name); ok {
			paths = append(paths, path)
		}
	}
	//lint:ignore SA1019 as above
	if path, ok := p.RootPath.Get(); ok && len(names) == 0 && path != "" {
		paths = append(paths, path)
	}
	return paths
}

// Initialized implements [protocol.Server].
func (s *server) Initialized(_ context.Context, _ *protocol.InitializedParams) error {
	s.initializedOnce.Do(func() {
		for _, folder := range s.folders {
			s.names.folder(realPath(folder), folder)
		}
		s.start("open folders", func(ctx context.Context) {
			for _, folder := range s.folders {
				s.openRootOf(ctx, folder)
			}
			close(s.opened)
			s.diagnoser.mark(func() {})
		})
		s.start("register", func(ctx context.Context) {
			s.folderChanges.Lock()
			defer s.folderChanges.Unlock()
			s.registerWatching(ctx)
		})
		s.start("register settings", s.registerSettings)
		s.start("settings", s.refreshSettings)
	})
	return nil
}

// DidChangeWorkspaceFolders implements [protocol.Server].
func (s *server) DidChangeWorkspaceFolders(ctx context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	async(ctx)
	// One at a time: a folder that is removed and added again must end open.
	s.folderChanges.Lock()
	defer s.folderChanges.Unlock()
	for _, folder := range p.Event.Removed {
		if path, ok := pathOf(folder.URI.String()); ok {
			s.closeFolder(path)
		}
	}
	for _, folder := range p.Event.Added {
		if path, ok := pathOf(folder.URI.String()); ok {
			s.names.folder(realPath(path), path)
			s.openRootOf(s.work, path)
		}
	}
	s.registerWatching(ctx)
	return nil
}

// closeFolder forgets the roots that no remaining folder is in or around. Those
// that the client has by another name as well begin anew under that.
func (s *server) closeFolder(folder string) {
	instead := s.names.dropFolder(realPath(folder), folder)
	s.mu.Lock()
	var orphans []*root
	for dir, r := range s.roots {
		if related(dir, realPath(folder)) && (instead != "" || !s.names.touches(dir)) {
			orphans = append(orphans, r)
		}
	}
	s.mu.Unlock()
	for _, r := range orphans {
		s.forget(r)
	}
	if instead != "" {
		s.openRootOf(s.work, instead)
	}
}

// related reports whether one folder is in the other.
func related(a, b string) bool {
	_, inside := below(a, b)
	_, around := below(b, a)
	return inside || around
}

// Shutdown implements [protocol.Server]. It waits for nothing, so that no
// editor hangs at its end; what runs is ended by exit.
func (s *server) Shutdown(context.Context) error {
	s.life.advance(initialized, shutDown)
	s.endPulls()
	return nil
}

// endPulls answers the requests for findings that are being held.
func (s *server) endPulls() {
	if s.pulled != nil {
		s.pulled.end()
	}
}

// Exit implements [protocol.Server]: 0 after shutdown, else 1. It only tells
// the goroutine that serves; the connection cannot be closed from a handler.
func (s *server) Exit(context.Context) error {
	if s.life.get() == shutDown {
		s.end(0)
	} else {
		s.end(1)
	}
	return nil
}

// end makes the server end with an exit status, unless it ends already.
func (s *server) end(code int) {
	select {
	case s.life.exit <- code:
	default:
	}
}

// SetTrace implements [protocol.Server]; tracing is the client's own.
func (s *server) SetTrace(context.Context, *protocol.SetTraceParams) error { return nil }
