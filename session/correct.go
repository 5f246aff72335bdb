package session

import (
	"context"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// CorrectRequest asks for a memory that says what holds in place of Target.
type CorrectRequest struct {
	Target string
	// Title and Type are Target's when they are empty.
	Title, Type string
	// The text is given as in [WriteRequest].
	Claim, ArticleHTML string
	Body               []string
	Prose              string
	// Path is where the correction goes, as in [WriteRequest]. Target's own path
	// is free for it; a correction that stands there cannot be corrected or
	// archived before the next year, because its place in the archive is Target's.
	Path       string
	StrictPath bool
	// Reason is why; it becomes the body of the commit message.
	Reason                string
	Author                string
	ValidFrom, ValidUntil string

	SessionID, PromptID, TurnUUID string
	// NoDuplicate refuses a correction that another memory says already.
	NoDuplicate bool
	Expect      Expectations
}

// CorrectResult is the data of "correct.result".
type CorrectResult struct {
	Done
	Path         string `json:"path"`
	ArchivedPath string `json:"archivedPath"`
	// ContentHash is that of the correction.
	ContentHash string `json:"contentHash"`
	// ExistingPath is another memory that says what the correction says.
	ExistingPath string `json:"existingPath,omitempty"`
}

// Correct writes a new memory and archives Target in favour of it, in one
// commit (M90-M97). Type, workspace, entities, tags, aliases, importance and
// confidence are Target's (M106). Without a title and a path the correction goes
// beside Target, under its name with the next ordinal; with a title it goes where
// a new memory of that title goes (format.md §6). Either way it can be corrected
// itself in the same year, see [Root.roomFor]. Tasks and archived memories are
// refused (M105). A correction that Target itself says is Already.
// Refusals are *failure.Error.
func (r *Root) Correct(ctx context.Context, request CorrectRequest) (result CorrectResult, err error) {
	request.Target = memory.NormalizePath(request.Target)
	err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
		result, err = r.correct(ctx, request, commit)
		return err
	})
	if err == nil && request.Path != "" && !result.Already {
		result.Warnings = append(result.Warnings, r.ignored(ctx, result.Path)...)
	}
	return result, named("Not corrected", err)
}

// correct decides and commits; the caller holds the writer lock.
func (r *Root) correct(ctx context.Context, request CorrectRequest, commit func(store.Plan) (Done, error)) (CorrectResult, error) {
	at := r.now()
	target, doc, err := r.readCorrected(request.Target, request.Expect)
	if err != nil {
		if result, ok := r.alreadyCorrected(ctx, request, at, err); ok {
			return result, nil
		}
		return CorrectResult{}, err
	}
	d, err := request.draft(target.path, doc, at)
	if err != nil {
		return CorrectResult{}, err
	}
	if d.file.ContentHash == doc.ContentHash {
		return CorrectResult{
			Done: Done{At: memory.Stamp(at), Already: true}, Path: target.path,
			ArchivedPath: lastSuperseded(doc), ContentHash: doc.ContentHash.String(),
		}, nil
	}
	c, err := r.openCorpus(ctx)
	if err != nil {
		return CorrectResult{}, err
	}
	defer c.close()
	path, warning, err := r.correctionPath(ctx, request, d, target.path, doc.Title)
	if err != nil {
		return CorrectResult{}, err
	}
	s := succession{at: at, path: path, source: d.source, doc: memory.Parse(d.source), old: target, oldDoc: doc}
	if s.existing, err = c.otherHolder(ctx, d.file.ContentHash, target.path, request.NoDuplicate); err != nil {
		return CorrectResult{}, err
	}
	after, archived, err := s.edit()
	if err != nil {
		return CorrectResult{}, err
	}
	changes := []store.Change{
		{From: target.path, Path: s.archivePath(), Expect: &target.hash, After: archived},
		{Path: path, After: after},
	}
	result, err := s.commit(changes, request.Reason, d.trailers(), commit)
	if err == nil && warning != "" {
		result.Warnings = append(result.Warnings, warning)
	}
	if err == nil {
		r.recordCorrection(request.SessionID, result)
	}
	return result, err
}

// readCorrected reads and parses the memory that is to be corrected.
func (r *Root) readCorrected(path string, expect Expectations) (*endpoint, *memory.Document, error) {
	target, err := r.readEndpoint(path, expect)
	if err != nil {
		return nil, nil, err
	}
	doc, err := target.parse()
	return target, doc, err
}

// draft is the correction before it has a place.
func (c CorrectRequest) draft(target string, doc *memory.Document, at time.Time) (*draft, error) {
	w := WriteRequest{
		Title: c.Title, Type: c.Type, Claim: c.Claim, ArticleHTML: c.ArticleHTML, Body: c.Body, Prose: c.Prose,
		Path: c.Path, StrictPath: c.StrictPath, Workspace: strings.TrimPrefix(workspaceOf(target), "projects/"),
		Tags: doc.Metas.Tags, Entities: doc.Metas.Entities, Aliases: doc.Metas.Aliases,
		Importance: doc.Metas.Importance, Confidence: doc.Metas.Confidence,
		Author: c.Author, ValidFrom: c.ValidFrom, ValidUntil: c.ValidUntil,
		SessionID: c.SessionID, PromptID: c.PromptID, TurnUUID: c.TurnUUID,
		// What is an arc stays one, whoever corrects it.
		AllowArc: doc.Metas.Type == "arc",
	}
	if blank(w.Title) {
		w.Title = doc.Title
	}
	if blank(w.Type) {
		w.Type = doc.Metas.Type
	}
	switch {
	case w.Type == "task":
		return nil, failure.New(failure.InvalidMemory, "a correction cannot be a task.").
			Suggest("Write the task as a new one.")
	case memory.IsArchived(memory.NormalizePath(w.Path)):
		return nil, failure.New(failure.InvalidFlag, "a correction cannot begin in the archive.").
			Suggest("Name an .html file below projects/, areas/ or resources/.")
	}
	return newDraft(w, at)
}

// otherHolder is the memory besides the corrected one that has a content, or
// the refusal when there must be none.
func (c *corpus) otherHolder(ctx context.Context, content memory.Hash, except string, refuse bool) (string, error) {
	path, err := c.holder(ctx, content, except)
	if err != nil || path == "" || !refuse {
		return path, err
	}
	refused := failure.New(failure.DuplicateContent, "%s says the same already.", diagnostics.Shown(path)).
		Suggest("Let it supersede the memory that is wrong.")
	refused.Data = map[string]string{"existingPath": path}
	return "", refused
}

// succession is a correction with its place: the new memory and the one that it
// supersedes.
type succession struct {
	at     time.Time
	path   string
	source []byte
	doc    *memory.Document

	old    *endpoint
	oldDoc *memory.Document
	// existing is another memory that says the same.
	existing string
}

func (s *succession) archivePath() string { return memory.ArchivePath(s.old.path, s.at.Year()) }

// edit links the two files and hands the validity over (M91, M95, M96).
func (s *succession) edit() (after, archived []byte, err error) {
	from := validFrom(s.doc, s.at)
	if after, err = supersedes(s.source, s.doc, from, s.archivePath()); err != nil {
		return nil, nil, notEditable(s.path, err)
	}
	if archived, err = supersededBy(s.old.source, s.oldDoc, from, s.path, s.at); err != nil {
		return nil, nil, notEditable(s.old.path, err)
	}
	return after, archived, nil
}

// commit makes the one commit and says what it did.
func (s *succession) commit(changes []store.Change, reason string, trailers []store.Trailer, commit func(store.Plan) (Done, error)) (CorrectResult, error) {
	message := store.Message{Subject: memory.Subject("correct", s.doc.Title), Body: reasonBody(reason), Trailers: trailers}
	done, err := commit(store.Plan{Changes: changes, Message: message, At: s.at})
	if err != nil {
		return CorrectResult{}, err
	}
	if s.existing != "" {
		done.Warnings = append(done.Warnings, diagnostics.Shown(s.existing)+" says the same. memhtml cannot index both.")
	}
	return CorrectResult{
		Done: done, Path: s.path, ArchivedPath: s.archivePath(),
		ContentHash: s.doc.ContentHash.String(), ExistingPath: s.existing,
	}, nil
}

// lastSuperseded is the archived file that a memory superseded last, "" when it
// superseded none.
func lastSuperseded(doc *memory.Document) (path string) {
	for _, link := range doc.Links {
		literal, alternate := link.Target()
		if link.Rel != "supersedes" {
			continue
		}
		if path = literal; alternate != "" && memory.IsMemoryPath(alternate) && !memory.IsMemoryPath(literal) {
			path = alternate
		}
	}
	return path
}

// alreadyCorrected answers a request that was carried out before: the target is
// archived in favour of a memory that says what the correction says.
func (r *Root) alreadyCorrected(ctx context.Context, request CorrectRequest, at time.Time, err error) (CorrectResult, bool) {
	archived, ok := r.alreadyArchived(request.Target, err)
	if !ok {
		return CorrectResult{}, false
	}
	source, err := r.readFile(archived)
	if err != nil {
		return CorrectResult{}, false
	}
	doc := memory.Parse(source)
	d, err := request.draft(request.Target, doc, at)
	if err != nil {
		return CorrectResult{}, false
	}
	path := strings.TrimPrefix(doc.Metas.SupersededBy, "/")
	says := func(f *index.File) bool { return f.ContentHash == d.file.ContentHash }
	if !memory.IsMemoryPath(path) || !r.stillHolds(path, says) {
		return CorrectResult{}, false
	}
	return CorrectResult{
		Done: r.already(ctx, request.Target, at), Path: path, ArchivedPath: archived, ContentHash: d.file.ContentHash.String(),
	}, true
}
