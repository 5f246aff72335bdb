package session

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// keepUncommitted makes the way back from a commit leave on the disk what was
// there before it and in no commit: an edit, or a whole file (D18).
func (r *Root) keepUncommitted(info store.CommitInfo, inverse []store.Change) ([]store.Change, error) {
	uncommitted, err := r.repo.Uncommitted(info.ID)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(uncommitted)) {
		if !memory.IsMemoryPath(path) {
			continue
		}
		kept, err := r.repo.ReadBlob(uncommitted[path])
		if err != nil {
			return nil, failure.New(failure.GitState, "Before commit %.*s %s had changes that no commit had, and git has them no more.", shortID, info.ID, diagnostics.Shown(path)).
				Suggest("git revert takes the commit back without them; what it made of them stays in the history.").Wrap(err)
		}
		if inverse = leave(inverse, path, kept); r.stands(inverse, path) {
			return nil, notCommitted(path)
		}
	}
	return inverse, nil
}

// leave leaves content at a path: in the change that brings the path back, else in
// one that only takes away what the commit made of it, else in one of its own.
func leave(changes []store.Change, path string, content []byte) []store.Change {
	at := slices.IndexFunc(changes, func(c store.Change) bool { return c.Path == path })
	if at < 0 {
		at = slices.IndexFunc(changes, func(c store.Change) bool { return c.Path == "" && comesFrom(c.From, path) })
		if at < 0 {
			at, changes = len(changes), append(changes, store.Change{})
		}
		changes[at].Path, changes[at].Untracked = path, true
	}
	changes[at].Kept = content
	return changes
}

// stands tells whether a file is on disk where the changes would only put one:
// what an undo has left there, when it is undone itself.
func (r *Root) stands(changes []store.Change, path string) bool {
	if slices.ContainsFunc(changes, func(c store.Change) bool { return c.From == path }) {
		return false
	}
	_, err := r.readFile(path)
	return err == nil
}

// comesFrom tells whether a path is another one, or its place in the archive.
func comesFrom(path, original string) bool {
	unarchived, ok := memory.UnarchivePath(path)
	return path == original || ok && unarchived == original
}

// finishedUndo answers for an undo that was cut short, when the repair of this
// process has just finished it: to ask again is not to ask for the next one.
func (r *Root) finishedUndo(ctx context.Context, request UndoRequest) (UndoResult, bool) {
	id := r.repo.TakeFinished()
	if id == "" || request.Commit != "" {
		return UndoResult{}, false
	}
	last, err := r.headCommit(ctx)
	text, undone := strings.CutPrefix(last.Subject, "memhtml(undo): ")
	short, _, _ := strings.Cut(text, " ")
	if err != nil || last.ID != id || !undone || !hexDigits().MatchString(short) {
		return UndoResult{}, false
	}
	reverted, err := r.commitByPrefix(ctx, short)
	if err != nil {
		return UndoResult{}, false
	}
	return UndoResult{Reverted: reverted.ID, Done: Done{
		Commit: &id, At: memory.Stamp(r.now()), Already: true,
		Warnings: []string{"The undo had been cut short; it is finished now."},
	}}, true
}
