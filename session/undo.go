package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// undoWalk is how many commits are looked at for the one to undo, and for the
// one that stands in the way.
const undoWalk = 1000

// shortID is how many digits of a commit id a person is shown, fullID how many
// it has.
const (
	shortID = 7
	fullID  = 40
)

// UndoRequest asks to take one commit back. Commit is its id, or at least the
// first four digits, or "HEAD"; "" is the last commit of memhtml, which may be
// an undo itself and is then done again.
type UndoRequest struct{ Commit string }

// UndoResult is the data of "undo.result".
type UndoResult struct {
	Done
	// Reverted is the id of the commit that was taken back.
	Reverted string `json:"reverted"`
	// Moved are the files that lie somewhere else now, by their old path; Touched
	// are all files that are there and were not, or not so.
	Moved   map[string]string `json:"-"`
	Touched []string          `json:"-"`
}

// Undo makes the inverse of one commit of memhtml, in one commit, if nothing
// has touched its files since; otherwise it says what did: a later commit, or a
// change that is not committed. Merges and the first commit are refused. A
// commit whose files are already as they were before it is Already, and so is an
// undo that was cut short and has just been finished. What was on disk and in no
// commit before is there again, and in no commit. Refusals are *failure.Error.
func (r *Root) Undo(ctx context.Context, request UndoRequest) (result UndoResult, err error) {
	err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
		result, err = r.undo(ctx, request, commit)
		return err
	})
	return result, named("Not undone", err)
}

// undo decides and commits; the caller holds the writer lock.
func (r *Root) undo(ctx context.Context, request UndoRequest, commit func(store.Plan) (Done, error)) (UndoResult, error) {
	if result, ok := r.finishedUndo(ctx, request); ok {
		return result, nil
	}
	info, err := r.commitToUndo(ctx, request.Commit)
	if err != nil {
		return UndoResult{}, err
	}
	changes, err := r.repo.Changes(ctx, info.ID)
	if err != nil {
		return UndoResult{}, err
	}
	if len(changes) == 0 {
		return UndoResult{}, failure.New(failure.GitState, "Commit %.*s changed no file.", shortID, info.ID)
	}
	slices.SortFunc(changes, func(a, b store.FileChange) int { return cmp.Compare(a.Path, b.Path) })
	at := r.now()
	result := UndoResult{Reverted: info.ID, Moved: map[string]string{}}
	undone, err := r.untouched(ctx, info, changes)
	if err != nil {
		return UndoResult{}, err
	}
	if undone != "" {
		result.Done = Done{Commit: &undone, At: memory.Stamp(at), Already: true}
		return result, nil
	}
	inverse, err := r.invert(ctx, changes)
	if err == nil {
		inverse, err = r.keepUncommitted(ctx, info, changes, inverse)
	}
	if err != nil {
		return UndoResult{}, err
	}
	for _, change := range inverse {
		if change.From != "" && change.Path != "" && change.From != change.Path {
			result.Moved[change.From] = change.Path
		}
		if change.Path != "" {
			result.Touched = append(result.Touched, change.Path)
		}
	}
	message := store.Message{
		Subject: memory.Subject("undo", info.ID[:shortID]+" "+textOf(info.Subject)),
		Body:    "This takes back commit " + info.ID + ".",
	}
	result.Done, err = commit(store.Plan{Changes: inverse, Message: message, At: at})
	if err != nil {
		return UndoResult{}, err
	}
	return result, nil
}

// ourSubject is the form of our commit subjects (format.md §6).
var ourSubject = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^memhtml\([a-z]+\): `) })

// textOf is a subject without its operation.
func textOf(subject string) string {
	return strings.TrimPrefix(subject, ourSubject().FindString(subject))
}

var hexDigits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{4,40}$`) })

// commitToUndo finds the commit that a request means.
func (r *Root) commitToUndo(ctx context.Context, name string) (info store.CommitInfo, err error) {
	asked := name
	name = strings.ToLower(name)
	switch {
	case name == "":
		return r.lastOfOurs(ctx)
	case name == "head":
		info, err = r.headCommit(ctx)
	case !hexDigits().MatchString(name):
		err = failure.New(failure.InvalidFlag, "%s is not the id of a commit.", diagnostics.Shown(asked)).
			Suggest("Give at least the first four digits of its id, or HEAD.")
	case len(name) == fullID:
		info, err = r.repo.CommitInfo(name)
	default:
		info, err = r.commitByPrefix(ctx, name)
	}
	if err == nil && !ourSubject().MatchString(info.Subject) {
		err = failure.New(failure.GitState, "Commit %.*s was not made by memhtml.", shortID, info.ID).
			Suggest("Use git revert for it.")
	}
	return info, err
}

func (r *Root) lastOfOurs(ctx context.Context) (store.CommitInfo, error) {
	info, ok, err := r.repo.FindCommit(ctx, undoWalk, func(c store.CommitInfo) bool { return ourSubject().MatchString(c.Subject) })
	if err == nil && !ok {
		err = failure.New(failure.GitState, "There is no commit of memhtml to undo among the last %d.", undoWalk)
	}
	return info, err
}

func (r *Root) headCommit(ctx context.Context) (store.CommitInfo, error) {
	head, err := r.repo.Head(ctx)
	switch {
	case err != nil:
		return store.CommitInfo{}, err
	case head.Unborn:
		return store.CommitInfo{}, failure.New(failure.GitState, "There is no commit yet.")
	}
	return r.repo.CommitInfo(head.Commit)
}

// commitByPrefix looks at all commits of the walk, because two may begin alike.
func (r *Root) commitByPrefix(ctx context.Context, prefix string) (store.CommitInfo, error) {
	var found []store.CommitInfo
	_, _, err := r.repo.FindCommit(ctx, undoWalk, func(c store.CommitInfo) bool {
		if strings.HasPrefix(c.ID, prefix) {
			found = append(found, c)
		}
		return false
	})
	switch {
	case err != nil:
		return store.CommitInfo{}, err
	case len(found) == 0:
		return store.CommitInfo{}, failure.New(failure.InvalidFlag, "There is no commit %s among the last %d.", prefix, undoWalk).
			Suggest("Give the whole id of an older one.")
	case len(found) > 1:
		return store.CommitInfo{}, failure.New(failure.InvalidFlag, "More than one commit begins with %s.", prefix).
			Suggest("Give more digits of its id.")
	}
	return found[0], nil
}

// untouched refuses a commit whose files are not in HEAD and on disk as it left
// them. Where HEAD has all of them as they were before it, undone is the commit
// that brought that about.
func (r *Root) untouched(ctx context.Context, info store.CommitInfo, changes []store.FileChange) (undone string, err error) {
	head, err := r.repo.Head(ctx)
	if err != nil {
		return "", err
	}
	back, moved := true, ""
	for _, change := range changes {
		now, _, err := r.repo.BlobAt(head.Commit, change.Path)
		if err != nil {
			return "", err
		}
		back = back && now == change.Before
		if now != change.After && moved == "" {
			moved = change.Path
		}
	}
	if moved == "" {
		return "", r.undisturbed(ctx, changes)
	}
	by, found, err := r.repo.LastChange(ctx, moved, undoWalk)
	switch {
	case err != nil:
		return "", err
	case back && found:
		return by, nil
	}
	refused := failure.New(failure.WriteConflict, "%s was changed again after commit %.*s.", diagnostics.Shown(moved), shortID, info.ID).
		Suggest("Look at the file's history and undo the later commit first, or change the file by hand.")
	if found {
		refused.Message = fmt.Sprintf("Commit %.*s has changed %s again since.", shortID, by, diagnostics.Shown(moved))
		refused.Data = map[string]string{"path": moved, "commit": by}
	}
	return "", refused
}

// undisturbed refuses files that are on disk, or in an editor, otherwise than
// HEAD has them.
func (r *Root) undisturbed(ctx context.Context, changes []store.FileChange) error {
	for _, change := range changes {
		buffer := r.View().buffers[change.Path]
		source, err := r.readFile(change.Path)
		gone := isMissing(err)
		if err != nil && !gone {
			return err
		}
		clean, err := r.repo.CleanID(ctx, change.Path, source)
		if err != nil {
			return err
		}
		switch {
		case buffer != nil && buffer.edited && (gone || !buffer.isTextOf(source)):
			return failure.New(failure.DirtyDocument, "%s has unsaved changes.", diagnostics.Shown(change.Path)).
				Suggest("Save it and try again.")
		case gone != (change.After == store.Blob{}) || !gone && clean != change.After.ID:
			return notCommitted(change.Path)
		}
	}
	return nil
}

// invert plans the way back: what the commit moved into the archive moves out of
// it, or the other way round, so that its permission and history go with it; the
// rest is edited, made or removed.
func (r *Root) invert(ctx context.Context, changes []store.FileChange) ([]store.Change, error) {
	lost, came := moves(changes)
	var inverse []store.Change
	for _, change := range changes {
		was, moved := came[change.Path]
		_, stays := lost[change.Path]
		switch {
		case (change.After == store.Blob{}) && !stays:
			continue
		case !moved:
			was = change
		}
		step, err := r.inverse(ctx, change, was)
		if err != nil {
			return nil, err
		}
		inverse = append(inverse, step)
	}
	return inverse, nil
}

func notCommitted(path string) error {
	refused := failure.New(failure.WriteConflict, "%s has a change that is not committed.", diagnostics.Shown(path)).
		Suggest("Commit it or take it back, then try again.")
	refused.Data = map[string]string{"path": path}
	return refused
}

// inverse takes away what the commit put at now.Path, and puts what was before
// at was.Path. What stands there is expected to be what the commit put there,
// as git reads it; a file whose line ends are not those of its blob keeps them.
func (r *Root) inverse(ctx context.Context, now, was store.FileChange) (store.Change, error) {
	var step store.Change
	var source []byte
	if (now.After != store.Blob{}) {
		var err error
		if source, err = r.readFile(now.Path); err != nil {
			return step, err
		}
		clean, err := r.repo.CleanID(ctx, now.Path, source)
		if err != nil {
			return step, err
		}
		if clean != now.After.ID {
			return step, notCommitted(now.Path)
		}
		hash := hashBytes(source)
		step.From, step.Expect = now.Path, &hash
	}
	if (was.Before != store.Blob{}) {
		before, err := r.repo.ReadBlob(was.Before.ID)
		if err != nil {
			return step, err
		}
		step.Path, step.Executable = was.Path, &was.Before.Executable
		step.After, err = r.endedAs(ctx, source, was, before)
		return step, err
	}
	return step, nil
}

// endedAs gives a committed content the line ends of the file that it takes the
// place of, where git reads it as the same.
func (r *Root) endedAs(ctx context.Context, source []byte, was store.FileChange, before []byte) ([]byte, error) {
	lf, crlf := []byte("\n"), []byte("\r\n")
	if !bytes.Contains(source, crlf) || bytes.Contains(before, crlf) {
		return before, nil
	}
	ended := bytes.ReplaceAll(before, lf, crlf)
	if clean, err := r.repo.CleanID(ctx, was.Path, ended); err != nil || clean != was.Before.ID {
		return before, err
	}
	return ended, nil
}
