package session

import (
	"context"
	"errors"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// moveWalk is how many commits the search for "which commit archived this"
// looks at (cli.md "already").
const moveWalk = 1000

// Archive moves one memory to archive/<UTC year>/<its path> in one commit,
// stamped archived (M92, M97). A memory that is gone and whose archived form
// exists is an answer, not an error: Already. Refusals are *failure.Error.
func (r *Root) Archive(ctx context.Context, request ArchiveRequest) (result ArchiveResult, err error) {
	request.Path = memory.NormalizePath(request.Path)
	err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
		result, err = r.archive(ctx, request, commit)
		return err
	})
	return result, named("Not archived", err)
}

// archive decides and commits; the caller holds the writer lock, so that no
// buffer that became dirty while it waited is overlooked.
func (r *Root) archive(ctx context.Context, request ArchiveRequest, commit func(store.Plan) (Done, error)) (ArchiveResult, error) {
	at := r.now()
	plan, err := r.planArchive(request.Path, request, at)
	if err == nil {
		var done Done
		if done, err = commit(plan); err == nil {
			r.record(request.SessionID, done.At, index.SessionCorrected, plan.Changes[0].Path)
			return ArchiveResult{Done: done, Path: request.Path, ArchivePath: plan.Changes[0].Path}, nil
		}
	}
	if archived, ok := r.alreadyArchived(request.Path, err); ok {
		return ArchiveResult{Done: r.already(ctx, request.Path, at), Path: request.Path, ArchivePath: archived}, nil
	}
	return ArchiveResult{}, err
}

func (r *Root) planArchive(source string, request ArchiveRequest, at time.Time) (store.Plan, error) {
	target, err := r.readEndpoint(source, request.Expect)
	if err != nil {
		return store.Plan{}, err
	}
	if err := r.checkRest(request.Expect, source); err != nil {
		return store.Plan{}, err
	}
	after, err := stampArchived(target.source, at)
	if err != nil {
		return store.Plan{}, notEditable(source, err)
	}
	text := source
	if request.Reason != "" {
		text += " — " + request.Reason
	}
	message := store.Message{Subject: memory.Subject("archive", text), Trailers: provenance(request.SessionID, request.PromptID)}
	if request.Reason != "" && !fits("archive", text) {
		message.Body = reasonBody(request.Reason)
	}
	move := store.Change{From: source, Path: memory.ArchivePath(source, at.Year()), Expect: &target.hash, After: after}
	return store.Plan{Changes: []store.Change{move}, Message: message, At: at}, nil
}

// fits reports whether a subject took the whole text.
func fits(op, text string) bool {
	return memory.Subject(op, text) == "memhtml("+op+"): "+strings.Join(strings.Fields(text), " ")
}

// edit is one head edit of a sequence.
type edit func([]byte) ([]byte, error)

// applyEdits runs head edits one after the other.
func applyEdits(source []byte, edits ...edit) ([]byte, error) {
	for _, e := range edits {
		var err error
		if source, err = e(source); err != nil {
			return nil, err
		}
	}
	return source, nil
}

func setMeta(name, value string) edit {
	return func(source []byte) ([]byte, error) { return memory.SetMeta(source, name, value) }
}

// stampArchived writes the three stamps of a plain archive (M92); the article's
// bytes stay.
func stampArchived(source []byte, at time.Time, more ...edit) ([]byte, error) {
	stamp := memory.Stamp(at)
	edits := append([]edit{
		setMeta("memhtml-status", "archived"),
		setMeta("memhtml-updated", stamp),
		setMeta("memhtml-archived", stamp),
	}, more...)
	return applyEdits(source, edits...)
}

// notEditable says that the head could not be edited safely.
func notEditable(path string, err error) error {
	if errors.Is(err, memory.ErrNoHead) {
		return failure.New(failure.InvalidMemory, "%s has no head to write to.", diagnostics.Shown(path)).
			Suggest("Give it a head with a title and its metas, and try again.").Wrap(err)
	}
	return failure.New(failure.InvalidMemory, "The head of %s cannot be edited safely.", diagnostics.Shown(path)).
		Suggest("Mend its head and try again.").Wrap(err)
}

// alreadyArchived reports whether err means no more than that somebody was
// faster: the source is gone and an archived form of some year exists.
func (r *Root) alreadyArchived(source string, err error) (string, bool) {
	if err == nil || !memory.IsMemoryPath(source) || memory.IsArchived(source) {
		return "", false
	}
	if _, readErr := r.readFile(source); !isMissing(readErr) {
		return "", false
	}
	return r.archivedForm(source)
}

// archivedForm finds the newest archived form of a path on disk.
func (r *Root) archivedForm(source string) (string, bool) {
	years := r.archiveYears()
	for _, year := range years {
		form := path.Join("archive", year, source)
		if info, err := r.files.Lstat(form); err == nil && info.Mode().IsRegular() {
			return form, true
		}
	}
	return "", false
}

// archiveYears lists the folders of archive/ that undo accepts, newest first.
func (r *Root) archiveYears() []string {
	dir, err := r.files.Open("archive")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var years []string
	for _, name := range names {
		if _, ok := memory.UnarchivePath("archive/" + name + "/areas/x.html"); ok {
			years = append(years, name)
		}
	}
	sort.Sort(sort.Reverse(sort.StringSlice(years)))
	return years
}

// already is the answer to a request whose state was there before, with the
// commit that made it if a bounded walk finds it.
func (r *Root) already(ctx context.Context, source string, at time.Time) Done {
	done := Done{At: memory.Stamp(at), Already: true}
	repo, err := r.repository()
	if err != nil {
		return done
	}
	commit, ok, err := repo.FindMove(ctx, source, moveWalk)
	if err != nil {
		r.log.Warn("search for the commit that archived a memory", "path", source, "err", err)
	}
	if ok {
		done.Commit = &commit
	}
	return done
}

// named puts what did not happen in front of a refusal (design.md §9).
func named(what string, err error) error {
	var known *failure.Error
	if !errors.As(err, &known) {
		return err
	}
	out := *known
	out.Message = what + ": " + known.Message
	return &out
}
