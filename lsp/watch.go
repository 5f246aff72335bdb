package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/memhtml-ls/memhtml-ls/session"
)

// watched is the only pattern ever asked for: "**" makes clients stutter.
const watched = "**/*.html"

// registerWatching asks the client to tell about html files, where it offers
// to. The server looks for itself all the same (session.Root.Watch): clients
// lose events, and most do not watch at all. When the folders change, the new
// patterns are registered before the old ones go. Caller holds folderChanges.
func (s *server) registerWatching(ctx context.Context) {
	if !s.capabilities.watch || s.watching != "" && !s.capabilities.relativePattern {
		return
	}
	options := protocol.DidChangeWatchedFilesRegistrationOptions{Watchers: s.watchers()}
	raw, err := protocol.Marshal(&options)
	if err != nil {
		s.log.Error("register watching", "error", err)
		return
	}
	old := s.watching
	s.watching = fmt.Sprintf("memhtml-watched-files-%d", tokens.Add(1))
	const method = protocol.MethodWorkspaceDidChangeWatchedFiles
	// A client that refuses is in the log, and nothing depends on it.
	_ = s.client.call(ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{
		Registrations: []protocol.Registration{{ID: s.watching, Method: method, RegisterOptions: raw}},
	}, nil)
	if old != "" {
		_ = s.client.call(ctx, protocol.MethodClientUnregisterCapability, &protocol.UnregistrationParams{
			Unregisterations: []protocol.Unregistration{{ID: old, Method: method}},
		}, nil)
	}
}

// watchers are one pattern below each folder, or one everywhere for clients
// without relative patterns.
func (s *server) watchers() []protocol.FileSystemWatcher {
	folders := s.names.folderPaths()
	if !s.capabilities.relativePattern || len(folders) == 0 {
		return []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern(watched)}}
	}
	var all []protocol.FileSystemWatcher
	for _, folder := range folders {
		all = append(all, protocol.FileSystemWatcher{GlobPattern: &protocol.RelativePattern{
			BaseURI: protocol.URI(uri.File(folder)), Pattern: watched,
		}})
	}
	return all
}

// DidChangeWatchedFiles implements [protocol.Server]. All events of a message
// are one change, and those of many messages that come in a row; open documents
// keep their own text.
func (s *server) DidChangeWatchedFiles(ctx context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	byRoot := map[*root][]string{}
	for _, event := range p.Changes {
		path, ok := pathOf(event.URI.String())
		if !ok {
			continue
		}
		if r, rel := s.rootOf(realPath(path)); r != nil {
			byRoot[r] = append(byRoot[r], rel)
		}
	}
	var keys []string
	for r, paths := range byRoot {
		if r.Announce(paths) {
			for _, rel := range paths {
				keys = append(keys, r.Abs(rel))
			}
		}
	}
	s.reread(ctx, keys, session.Touched)
	return nil
}

// reread lets files that may have changed on disk enter, root by root. It gives
// up the order of messages before it waits for the disk. Requests that come after
// it wait for what was saved or is open: an action would be refused otherwise. For
// the others nobody waits, because in a checkout they stand behind a pass over all
// that it brought.
func (s *server) reread(ctx context.Context, keys []string, kind session.Kind) {
	byRoot := map[*root][]session.Modification{}
	entered := map[*root]func(){}
	s.mu.Lock()
	for _, key := range keys {
		r, path := s.rootOfLocked(key)
		if r == nil || !r.fed {
			continue
		}
		byRoot[r] = append(byRoot[r], session.Modification{Kind: kind, Path: path})
		if entered[r] == nil && (kind == session.Saved || s.holders[key] != nil) {
			entered[r] = r.enteringLocked()
		}
	}
	s.mu.Unlock()
	async(ctx)
	for r, mods := range byRoot {
		r.Modify(mods...)
		if done := entered[r]; done != nil {
			done()
		}
	}
}

// enteringLocked announces that something is being read from disk; the returned
// function says that it has entered. Caller holds server.mu.
func (r *root) enteringLocked() (entered func()) {
	before, now := r.reading, make(chan struct{})
	r.reading = now
	return func() {
		<-before
		close(now)
	}
}
