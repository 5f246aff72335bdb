package lsp

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/session"
)

// undoArguments are the arguments of memhtml-ls undo.
type undoArguments struct{ Commit string }

func runUndo(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	var fields undoArguments
	if err := args.read("memhtml.undo", &fields); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Undo(ctx, session.UndoRequest{Commit: fields.Commit})
	if err != nil {
		return outcomeOf{}, err
	}
	moved := map[string]string{}
	for from, to := range result.Moved {
		moved[r.Abs(from)] = r.Abs(to)
	}
	return outcomeOf{
		kind: "undo.result", data: result,
		message:  told("Undone", result.Reverted[:shortID], result.Done),
		warnings: result.Warnings, moved: moved,
		events: eventsOf(result.Done, eventUpdated, result.Touched...),
	}, nil
}
