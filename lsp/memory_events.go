package lsp

import "github.com/memhtml-ls/memhtml-ls/session"

// The events of memhtml/didChangeMemory.
const (
	eventCreated    = "created"
	eventUpdated    = "updated"
	eventArchived   = "archived"
	eventSuperseded = "superseded"
	eventLinked     = "linked"
)

// memoryEvent are the params of memhtml/didChangeMemory, a notification to
// clients that ask for it with {"memhtmlDidChangeMemory": true}. There is one
// for each memory that a command of this server changed in a commit; what
// others commit is theirs to tell.
type memoryEvent struct {
	Event string `json:"event"`
	// Path is relative to the root: where the memory is, or where it was when it
	// is in the archive now.
	Path   string `json:"path"`
	Commit string `json:"commit"`
	// Root is the uri of the folder that Path is relative to.
	Root string `json:"root"`
}

// eventsOf are the same event of several memories. There is none without a
// commit of the command's own.
func eventsOf(done session.Done, event string, paths ...string) []memoryEvent {
	if done.Commit == nil || done.Already {
		return nil
	}
	var events []memoryEvent
	for _, path := range paths {
		events = append(events, memoryEvent{Event: event, Path: path, Commit: *done.Commit})
	}
	return events
}

// announceChanges tells a client that asked for it what a command changed.
func (s *server) announceChanges(r *root, events []memoryEvent) {
	if !s.capabilities.memories {
		return
	}
	for _, event := range events {
		event.Root = string(s.names.of(r.Dir()))
		s.client.notify("memhtml/didChangeMemory", rawJSON(event))
	}
}
