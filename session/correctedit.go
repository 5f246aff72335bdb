package session

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// CorrectFromEditRequest asks to take what was written over a memory for its
// correction.
type CorrectFromEditRequest struct {
	Path string
	// Reason is why; it becomes the body of the commit message.
	Reason string
	Author string

	SessionID, PromptID, TurnUUID string
	// NoDuplicate refuses a correction that another memory says already.
	NoDuplicate bool
	Expect      Expectations
}

// CorrectFromEdit is Correct for a claim that was edited in place and saved: the
// version of the last commit goes to the archive, and what is on disk becomes a
// new memory beside it, under the name of its title where that was edited too,
// else under the old name with the next ordinal.
// It begins now: created and updated are the instant of the commit. Of its head
// what the person wrote stays, and so does what a correction inherits, and its
// links. What it has only because it was left over from the version before,
// such as who wrote that, how long it held and what it superseded, is taken out.
//
// Refused are a file that is not in the last commit, unsaved changes, a claim
// that is the same as before, and tasks. Refusals are *failure.Error.
func (r *Root) CorrectFromEdit(ctx context.Context, request CorrectFromEditRequest) (result CorrectResult, err error) {
	request.Path = memory.NormalizePath(request.Path)
	err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
		result, err = r.correctFromEdit(ctx, request, commit)
		return err
	})
	return result, named("Not corrected", err)
}

// correctFromEdit decides and commits; the caller holds the writer lock.
func (r *Root) correctFromEdit(ctx context.Context, request CorrectFromEditRequest, commit func(store.Plan) (Done, error)) (CorrectResult, error) {
	edited, doc, err := r.readCorrected(request.Path, request.Expect)
	if err != nil {
		return CorrectResult{}, err
	}
	old, oldDoc, err := r.committedVersion(ctx, request.Path)
	if err != nil {
		return CorrectResult{}, err
	}
	if doc.Gist == oldDoc.Gist {
		return CorrectResult{}, failure.New(failure.InvalidMemory, "the claim of %s is the one of the last commit.", diagnostics.Shown(request.Path)).
			Suggest("Edit its claim and save it, or commit the change of the body with git.")
	}
	s := succession{at: r.now(), old: old, oldDoc: oldDoc}
	if s.path, err = r.roomFor(ctx, r.besideEdit(request.Path, doc, oldDoc).path, request.Path, s.at); err != nil {
		return CorrectResult{}, err
	}
	if s.source, err = request.begin(edited.source, doc, oldDoc, s.at); err != nil {
		return CorrectResult{}, notEditable(request.Path, err)
	}
	s.doc = memory.Parse(s.source)
	c, err := r.openCorpus(ctx)
	if err != nil {
		return CorrectResult{}, err
	}
	defer c.close()
	if s.existing, err = c.otherHolder(ctx, s.doc.ContentHash, request.Path, request.NoDuplicate); err != nil {
		return CorrectResult{}, err
	}
	after, archived, err := s.edit()
	if err != nil {
		return CorrectResult{}, err
	}
	changes := []store.Change{
		{From: request.Path, Path: s.archivePath(), Expect: &edited.hash, After: archived},
		{Path: s.path, After: after},
	}
	result, err := s.commit(changes, request.Reason, provenance(request.SessionID, request.PromptID), commit)
	if err == nil {
		result.Warnings = askedAbout(result.Warnings, request.Path)
		r.recordCorrection(request.SessionID, result)
	}
	return result, err
}

// askedAbout takes out of the warnings that the edit of a path is in the commit,
// where that was the request.
func askedAbout(warnings []string, path string) []string {
	at := slices.Index(warnings, tookIn([]string{path}))
	switch {
	case at < 0:
		return warnings
	case len(warnings) == 1:
		return nil
	}
	return slices.Delete(warnings, at, at+1)
}

// besideEdit is the spot of a memory that was edited.
func (r *Root) besideEdit(path string, doc, old *memory.Document) spot {
	s := r.beside(path, old.Title)
	if doc.Title != old.Title {
		s.slug = memory.Slug(doc.Title)
	}
	return s
}

// committedVersion is a memory as the last commit has it.
func (r *Root) committedVersion(ctx context.Context, path string) (*endpoint, *memory.Document, error) {
	head, err := r.repo.Head(ctx)
	if err != nil {
		return nil, nil, err
	}
	blob, ok, err := r.repo.BlobAt(head.Commit, path)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, failure.New(failure.GitState, "%s is not in the last commit.", diagnostics.Shown(path)).
			Suggest("Commit it first; there is no version yet that it could correct.")
	}
	source, err := r.repo.ReadBlob(blob.ID)
	if err != nil {
		return nil, nil, err
	}
	doc := memory.Parse(source)
	switch {
	case !doc.Accepted():
		err = failure.New(failure.InvalidMemory, "%s has format errors in the last commit (first: %s).", diagnostics.Shown(path), doc.Violations[0].Code).
			Suggest("Commit the mended file with git instead.")
	case doc.Metas.Type == "task":
		err = failure.New(failure.InvalidMemory, "%s is a task in the last commit; tasks are not superseded.", diagnostics.Shown(path)).
			Suggest("Commit the change with git.")
	}
	return &endpoint{path: path, source: source}, doc, err
}

// leftOver are the metas that belong to one version of a memory, and that its
// correction has only if they were written for it.
var leftOver = []string{
	"memhtml-author", "memhtml-session", "memhtml-prompt", "memhtml-turn", "memhtml-valid-from", "memhtml-valid-until",
	"memhtml-reprieves", "memhtml-archived", "memhtml-superseded-by", "memhtml-needs-revision",
}

// begin turns an edited file into the beginning of a new memory.
func (c CorrectFromEditRequest) begin(source []byte, doc, old *memory.Document, at time.Time) ([]byte, error) {
	var edits []edit
	for _, name := range leftOver {
		if bytes.Equal(metaValue(doc, name), metaValue(old, name)) {
			edits = append(edits, func(source []byte) ([]byte, error) { return memory.RemoveMeta(source, name) })
		}
	}
	for _, link := range old.Links {
		if link.Rel == "supersedes" {
			edits = append(edits, func(source []byte) ([]byte, error) { return memory.RemoveLink(source, link.Rel, link.Href) })
		}
	}
	stamp := memory.Stamp(at)
	edits = append(edits,
		setMeta("memhtml-status", "active"),
		setMeta("memhtml-created", stamp),
		setMeta("memhtml-updated", stamp),
		setMeta("memhtml-content-hash", doc.ContentHash.String()),
		setIfGiven("memhtml-author", c.Author),
		setIfGiven("memhtml-session", c.SessionID),
		setIfGiven("memhtml-prompt", c.PromptID),
		setIfGiven("memhtml-turn", c.TurnUUID),
	)
	return applyEdits(source, edits...)
}

// metaValue is the value of the first meta of a name as it is written.
func metaValue(doc *memory.Document, name string) []byte {
	span, ok := doc.Spans().Meta(name)
	if !ok {
		return nil
	}
	return doc.Source[span.Start:span.End]
}
