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
func (r *Root) keepUncommitted(ctx context.Context, info store.CommitInfo, changes []store.FileChange, inverse []store.Change) ([]store.Change, error) {
	if err := r.leftBehind(ctx, info); err != nil {
		return nil, err
	}
	uncommitted, err := r.repo.Uncommitted(info.ID, store.UncommittedKey)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(uncommitted, func(path string, _ [20]byte) bool { return !touches(changes, path) })
	if path := unexplained(info, changes, uncommitted); path != "" {
		return nil, failure.New(failure.GitState, "Commit %.*s took in %s, which no commit had, and its message does not say so any more.", shortID, info.ID, diagnostics.Shown(path)).
			Suggest("git revert takes the commit back; the file is then in the history alone.")
	}
	for _, path := range slices.Sorted(maps.Keys(uncommitted)) {
		kept, err := r.repo.ReadBlob(uncommitted[path])
		if err != nil {
			return nil, failure.New(failure.GitState, "Before commit %.*s %s had changes that no commit had, and git has them no more.", shortID, info.ID, diagnostics.Shown(path)).
				Suggest("git revert takes the commit back without them; what it made of them stays in the history.").Wrap(err)
		}
		if buffer := r.View().buffers[path]; buffer != nil && buffer.edited && !buffer.isTextOf(kept) {
			return nil, dirty(path)
		}
		inverse = leave(inverse, path, kept)
	}
	return inverse, nil
}

// leftBehind refuses to undo an undo while what that left on the disk is there.
func (r *Root) leftBehind(ctx context.Context, info store.CommitInfo) error {
	left, err := r.repo.Uncommitted(info.ID, store.LeftKey)
	if err != nil {
		return err
	}
	if len(left) == 0 {
		return nil
	}
	head, err := r.repo.Head(ctx)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(left)) {
		_, tracked, err := r.repo.BlobAt(head.Commit, path)
		if err != nil {
			return err
		}
		if _, err := r.readFile(path); err == nil && !tracked && memory.IsMemoryPath(path) {
			return notCommitted(path)
		}
	}
	return nil
}

// touches tells whether a commit did something with a memory, or with the one in
// its place in the archive.
func touches(changes []store.FileChange, path string) bool {
	return memory.IsMemoryPath(path) && slices.ContainsFunc(changes, func(c store.FileChange) bool { return comesFrom(c.Path, path) })
}

// makesNone are the operations in whose commits every new file is an old one in a
// new place, or one that no commit had.
var makesNone = []string{"archive", "consolidate", "link", "merge", "update"}

// archivesToo are those that make files, but none in the archive.
var archivesToo = []string{"batch", "correct"}

// unexplained is a file that a commit took in whole and does not tell of, as when
// somebody has written its message anew; "" for none.
func unexplained(info store.CommitInfo, changes []store.FileChange, uncommitted map[string][20]byte) string {
	operation, _, _ := strings.Cut(strings.TrimPrefix(info.Subject, "memhtml("), ")")
	for _, change := range changes {
		original, archived := memory.UnarchivePath(change.Path)
		if !archived {
			original = change.Path
		}
		_, told := uncommitted[original]
		hadIt := func(c store.FileChange) bool { return c.Path == original && c.Before != store.Blob{} }
		switch {
		case told || change.Before != store.Blob{} || slices.ContainsFunc(changes, hadIt):
		case slices.Contains(makesNone, operation), archived && slices.Contains(archivesToo, operation):
			return original
		}
	}
	return ""
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
