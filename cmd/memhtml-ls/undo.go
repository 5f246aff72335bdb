package main

import (
	"context"
	"flag"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const undoAbout = `
Takes one commit of memhtml back, the last one unless COMMIT names another, in a
new commit. When anything has touched its files since, it is refused, and says
what did. An undo can be undone. What was on disk and in no commit before, an edit
or a whole file, is left there. The first commit of a history and a merge are not
undone.

  memhtml-ls undo
  memhtml-ls undo 3f9c2ab
`

func undoCommand() command {
	return commitCommand(command{
		name: "undo", args: "[COMMIT]", short: "take one commit of memhtml back", about: undoAbout, most: 1,
		setup: func(*flag.FlagSet) action { return undo },
	})
}

func undo(ctx context.Context, c *call) error {
	var request session.UndoRequest
	if len(c.args) > 0 {
		if request.Commit = c.args[0]; blank(request.Commit) {
			return failure.New(failure.InvalidFlag, "COMMIT is empty.").Suggest("Leave it out for the last commit of memhtml.")
		}
	}
	return c.commit(ctx, nil, func(root *session.Root, _ []string) (result, error) {
		did, err := root.Undo(ctx, request)
		if err != nil {
			return result{}, err
		}
		r := result{kind: "undo.result", data: did, done: did.Done}
		if did.Already {
			r.line("%.*s is undone already%s.", shortCommit, did.Reverted, commitOf(did.Done))
		} else {
			r.line("Undone %.*s%s.", shortCommit, did.Reverted, commitOf(did.Done))
		}
		return r, nil
	})
}
