package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/memhtml-ls/memhtml-ls/session"
)

// compareCommand is a command of the client: it shows "uri" beside "target".
const compareCommand = "memhtml.compareWith"

// answered is the envelope for a client that shows outcomes itself: who can close
// a tab and put a button under a message does it better than the protocol can
// ask for.
type answered struct {
	session.Envelope
	Outcome *outcome `json:"outcome"`
}

// outcome is what a person is to see of a command.
type outcome struct {
	// Message is empty for a command that only tells.
	Message  string   `json:"message,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Moved are the files that lie somewhere else now, or have given way to one
	// there, by uri.
	Moved map[string]string `json:"moved,omitempty"`
	// Undo is the argument of the memhtml.undo and memhtml.show that are about the
	// commit, absent without one.
	Undo *undoing `json:"undo,omitempty"`
}

// undoing names a commit, and by its folder the root it is in.
type undoing struct {
	URI    string `json:"uri"`
	Commit string `json:"commit"`
}

// told is the answer with the outcome.
func (s *server) told(done outcomeOf) any {
	out := outcome{Message: done.message, Warnings: done.warnings, Moved: map[string]string{}, Undo: done.undo}
	for from, to := range done.moved {
		out.Moved[string(s.names.of(from))] = string(s.names.of(to))
	}
	return jsonrpc2.RawMessage(mustMarshal(answered{session.Success(done.kind, done.data), &out}))
}

func runShow(ctx context.Context, _ *server, r *root, args located) (outcomeOf, error) {
	var fields undoArguments
	if err := args.read("memhtml.show", &fields); err != nil {
		return outcomeOf{}, err
	}
	result, err := r.Show(ctx, session.ShowRequest{Commit: fields.Commit})
	return outcomeOf{kind: "show.result", data: result}, err
}
