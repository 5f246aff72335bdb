package session

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// mostShown bounds the texts of one ShowResult, in bytes: a hundred times what
// the largest command writes.
const mostShown = 32 << 20

// ShowRequest asks what one commit did. Commit is as in [UndoRequest].
type ShowRequest struct{ Commit string }

// ShowResult is the data of "show.result".
type ShowResult struct {
	Commit string      `json:"commit"`
	Files  []ShownFile `json:"files"`
}

// ShownFile is one file of a commit, with its text on both sides of it. A file
// that was moved is one, not two.
type ShownFile struct {
	// From and Path are where it was and is, by root-relative path; "" where it was
	// or is not.
	From   string `json:"from"`
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Show tells what one commit of memhtml did. Refusals are *failure.Error.
func (r *Root) Show(ctx context.Context, request ShowRequest) (ShowResult, error) {
	if _, err := r.repository(); err != nil {
		return ShowResult{}, err
	}
	info, err := r.commitToUndo(ctx, request.Commit)
	if err != nil {
		return ShowResult{}, named("Not shown", err)
	}
	changes, err := r.repo.Changes(ctx, info.ID)
	if err != nil {
		return ShowResult{}, err
	}
	slices.SortFunc(changes, func(a, b store.FileChange) int { return cmp.Compare(a.Path, b.Path) })
	lost, came := moves(changes)
	result, size := ShowResult{Commit: info.ID, Files: []ShownFile{}}, 0
	for _, change := range changes {
		if _, stays := lost[change.Path]; (change.After == store.Blob{}) && !stays {
			continue // it is told of where it went
		}
		was, moved := came[change.Path]
		if !moved {
			was = change
		}
		file := ShownFile{}
		if file.From, file.Before, err = r.sideOf(was.Path, was.Before); err == nil {
			file.Path, file.After, err = r.sideOf(change.Path, change.After)
		}
		if err != nil {
			return ShowResult{}, err
		}
		if size += len(file.Before) + len(file.After); size > mostShown {
			return ShowResult{}, failure.New(failure.Storage, "Commit %.*s is too large to be shown.", shortID, info.ID).
				Suggest("Use git show for it.")
		}
		result.Files = append(result.Files, file)
	}
	return result, nil
}

// sideOf is a file on one side of a commit, "" where it is not there.
func (r *Root) sideOf(path string, blob store.Blob) (where, text string, err error) {
	if (blob == store.Blob{}) {
		return "", "", nil
	}
	source, err := r.repo.ReadBlob(blob.ID)
	return path, string(source), err
}

// moves pairs the files that a commit took away with those it made of them, in
// the archive or out of it: came are the former by the path of the latter, lost
// those that nothing was made of.
func moves(changes []store.FileChange) (lost, came map[string]store.FileChange) {
	lost, came = map[string]store.FileChange{}, map[string]store.FileChange{}
	for _, change := range changes {
		if (change.After == store.Blob{}) {
			lost[change.Path] = change
		}
	}
	for _, change := range changes {
		if (change.Before != store.Blob{}) {
			continue
		}
		for _, path := range slices.Sorted(maps.Keys(lost)) {
			if comesFrom(change.Path, path) || comesFrom(path, change.Path) {
				came[change.Path] = lost[path]
				delete(lost, path)
				break
			}
		}
	}
	return lost, came
}
