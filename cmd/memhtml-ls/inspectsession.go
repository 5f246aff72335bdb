package main

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// sessionReport is the data of "session.report": the memories that a session had
// to do with, by time.
type sessionReport struct {
	Session  string            `json:"session"`
	Memories []inspectedMemory `json:"memories"`
}

// inspectedMemory is one thing that the session did with a memory.
type inspectedMemory struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	At   string `json:"at"`
}

// inspectedSession is one thing that a session did with the memory.
type inspectedSession struct {
	Session string `json:"session"`
	Kind    string `json:"kind"`
	At      string `json:"at"`
}

// inspectSession shows what a session had to do with.
func inspectSession(ctx context.Context, c *call, id string) error {
	if len(c.args) > 0 {
		return failure.New(failure.InvalidFlag, "With --session-id, inspect takes no FILE.")
	}
	root, _, err := c.openRoot(ctx, nil)
	if err != nil {
		return err
	}
	defer c.closeRoot(root)
	links, err := root.MemoriesOf(ctx, id)
	if err != nil {
		return err
	}
	report := sessionReport{Session: id, Memories: []inspectedMemory{}}
	for _, l := range links {
		report.Memories = append(report.Memories, inspectedMemory{l.Path, string(l.Kind), l.At})
	}
	if c.ui.json {
		c.ui.envelope(session.Success("session.report", report))
		return nil
	}
	if len(links) == 0 {
		c.ui.note("Nothing is known of the session %s.", diagnostics.Shown(id))
	}
	for _, l := range links {
		c.ui.printf("%s  %-10s  %s\n", diagnostics.Shown(l.At), l.Kind, diagnostics.Shown(l.Path))
	}
	return nil
}

// sessionsOf returns which sessions had to do with a file, nil where that is not
// known.
func (c *call) sessionsOf(ctx context.Context, name string) []inspectedSession {
	if _, ok := session.FindRoot(folderOf(name)); !ok && c.root == "" {
		return nil
	}
	root, paths, err := c.openRoot(ctx, []string{name})
	if err != nil {
		return nil
	}
	defer c.closeRoot(root)
	if !memory.IsMemoryPath(paths[0]) || root.NoCommits() != "" {
		return nil
	}
	links, err := root.SessionsOf(ctx, paths[0])
	if err != nil {
		c.ui.note("%s", session.Refusal(err).Sentences())
		return nil
	}
	sessions := []inspectedSession{}
	for _, l := range links {
		sessions = append(sessions, inspectedSession{l.Session, string(l.Kind), l.At})
	}
	return sessions
}

func writeSessions(u *ui, sessions []inspectedSession) {
	u.section("Sessions", len(sessions) > 0)
	for _, s := range sessions {
		u.printf("  %s  %-10s  %s\n", diagnostics.Shown(s.At), s.Kind, diagnostics.Shown(s.Session))
	}
}
