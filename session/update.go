package session

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// UpdateRequest asks to change one memory in place. What is nil stays as it is;
// a pointer to an empty text takes an optional meta away.
type UpdateRequest struct {
	Path  string
	Title *string
	// ArticleHTML, or Claim with Body or Prose, replaces the whole article; they
	// are read as those of a [WriteRequest]. Claim alone leaves the body, Body or
	// Prose alone the claim.
	Claim, ArticleHTML, Prose *string
	Body                      []string

	Importance                    *int
	Confidence                    *float64
	Author, ValidFrom, ValidUntil *string
	// SessionID and PromptID say on whose behalf (M110); where the memory comes
	// from stays in its head.
	SessionID, PromptID string
	// Status is that of a task.
	Status, Due *string
	// Tags, Entities and Aliases are added to those that are there (D8), once
	// those to remove are gone.
	Tags, Entities, Aliases                   []string
	RemoveTags, RemoveEntities, RemoveAliases []string

	// ExpectHash is the SHA-256 of the bytes that the file must still have; it
	// goes before Expect.
	ExpectHash *memory.Hash
	// NoDuplicate refuses a text that another memory has; without it that is a
	// warning.
	NoDuplicate bool
	Expect      Expectations

	// spliced is set where ArticleHTML is the article that is there with another
	// claim or body.
	spliced bool
}

// UpdateResult is the data of "update.result".
type UpdateResult struct {
	Done
	Path   string  `json:"path"`
	Action Outcome `json:"action"`
	// ExistingPath is another memory that has the same text now.
	ExistingPath string `json:"existingPath,omitempty"`
	ContentHash  string `json:"contentHash"`
}

// Update changes a memory in place, in one commit (W19). One that changes
// nothing is Already and makes none (D8). Bytes other than expected are
// WriteConflict, with both hashes in Data (W20); the decision is made while no
// other process of ours writes. Refusals are *failure.Error.
func (r *Root) Update(ctx context.Context, request UpdateRequest) (UpdateResult, error) {
	at := r.now()
	var result UpdateResult
	err := request.check()
	if err == nil {
		err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
			result, err = r.update(ctx, request, at, commit)
			return err
		})
	}
	if err != nil {
		return UpdateResult{}, named("Not updated", err)
	}
	return result, nil
}

func (u UpdateRequest) check() error {
	texts := []*string{
		u.Title, u.Author, u.ValidFrom, u.ValidUntil, u.Status, u.Due,
	}
	given := slices.ContainsFunc(texts, func(text *string) bool { return text != nil })
	lists := len(u.Tags) + len(u.Entities) + len(u.Aliases) + len(u.RemoveTags) + len(u.RemoveEntities) + len(u.RemoveAliases)
	if !given && !u.replaces() && u.Importance == nil && u.Confidence == nil && lists == 0 {
		return failure.New(failure.MissingArgument, "nothing was given to change.").
			Suggest("Give a claim, a tag or another field.")
	}
	if slices.ContainsFunc(slices.Concat(u.Tags, u.Entities, u.Aliases), blank) {
		return failure.New(failure.InvalidFlag, "a tag, entity or alias is empty.").
			Suggest("To take one away, name it to be removed.")
	}
	return nil
}

// replaces reports whether the article is to be another one.
func (u UpdateRequest) replaces() bool {
	return u.Claim != nil || u.ArticleHTML != nil || u.Prose != nil || u.Body != nil
}

// update is what Update does while no other process writes.
func (r *Root) update(ctx context.Context, request UpdateRequest, at time.Time, commit func(store.Plan) (Done, error)) (UpdateResult, error) {
	path := memory.NormalizePath(request.Path)
	there, err := r.readEndpoint(path, request.expectations(path))
	if err != nil {
		return UpdateResult{}, err
	}
	doc := memory.Parse(there.source)
	if markup, ok, err := request.article(there.source); err != nil {
		return UpdateResult{}, err
	} else if ok {
		request.Claim, request.Body, request.Prose = nil, nil, nil
		request.ArticleHTML, request.spliced = &markup, true
	}
	draft, err := request.draft(doc, at)
	if err != nil {
		return UpdateResult{}, err
	}
	after, err := request.amend(there, doc, draft)
	if err != nil {
		return UpdateResult{}, err
	}
	result := UpdateResult{
		Done: Done{At: memory.Stamp(at), Already: true}, Path: path, Action: OutcomeUpdated, ContentHash: doc.ContentHash.String(),
	}
	if bytes.Equal(after, there.source) {
		return result, nil
	}
	if after, err = memory.SetMeta(after, "memhtml-updated", memory.Stamp(at)); err != nil {
		return UpdateResult{}, notEditable(path, err)
	}
	now := memory.Parse(after)
	if err := gate(now.Violations); err != nil {
		return UpdateResult{}, err
	}
	twin, err := r.twin(ctx, index.FromDocument(path, now), doc.ContentHash, request.NoDuplicate)
	if err != nil {
		return UpdateResult{}, err
	}
	plan := store.Plan{
		Changes: []store.Change{{From: path, Path: path, Expect: &there.hash, After: after}},
		Message: store.Message{Subject: memory.Subject("update", now.Title), Trailers: provenance(request.SessionID, request.PromptID)}, At: at,
	}
	if result.Done, err = commit(plan); err != nil {
		return UpdateResult{}, err
	}
	r.record(request.SessionID, result.At, index.SessionReinforced, path)
	result.ContentHash, result.ExistingPath = now.ContentHash.String(), twin
	if twin != "" {
		result.Warnings = append(result.Warnings, diagnostics.Shown(path)+" now has the same text as "+diagnostics.Shown(twin)+".")
	}
	return result, nil
}

// expectations are what the file must be, ExpectHash included.
func (u UpdateRequest) expectations(path string) Expectations {
	if u.ExpectHash == nil {
		return u.Expect
	}
	expect := maps.Clone(u.Expect)
	if expect == nil {
		expect = Expectations{}
	}
	mine := expect[path]
	mine.Hash = u.ExpectHash
	expect[path] = mine
	return expect
}

// twin is the other memory that has the text of a file whose text is another
// one than before. refuse says to refuse it (M27).
func (r *Root) twin(ctx context.Context, file *index.File, before memory.Hash, refuse bool) (string, error) {
	if !file.Eligible() || file.ContentHash == before {
		return "", nil
	}
	corpus, err := r.openCorpus(ctx)
	if err != nil {
		return "", err
	}
	defer corpus.close()
	twin, err := corpus.holder(ctx, file.ContentHash, file.Path)
	if err != nil || twin == "" || !refuse {
		return twin, err
	}
	refused := failure.New(failure.DuplicateContent, "%s would have the same text as %s.", diagnostics.Shown(file.Path), diagnostics.Shown(twin)).
		Suggest("Archive one of the two, or merge them.")
	refused.Data = map[string]string{"path": file.Path, "existingPath": twin}
	return "", refused
}

// draft is the memory that a file would be made from with the fields that were
// given: what is written into the file comes from it, so that it is written and
// judged as that of a new one. What a broken file lacks is made up: the file is
// judged once more when it is changed.
func (u UpdateRequest) draft(doc *memory.Document, at time.Time) (*draft, error) {
	switch task := doc.Metas.Type == "task"; {
	case u.Status != nil && !task:
		return nil, failure.New(failure.InvalidFlag, "only a task has a status.")
	case u.Due != nil && !blank(*u.Due) && !task:
		return nil, failure.New(failure.InvalidFlag, "only a task is due.")
	}
	write := WriteRequest{
		Title: cmp.Or(doc.Title, "none"), Type: cmp.Or(doc.Metas.Type, "semantic"), Claim: valueOf(u.Claim), ArticleHTML: valueOf(u.ArticleHTML), Prose: valueOf(u.Prose), Body: u.Body,
		Importance: u.Importance, Confidence: u.Confidence, Author: valueOf(u.Author),
		ValidFrom: valueOf(u.ValidFrom), ValidUntil: valueOf(u.ValidUntil), Status: valueOf(u.Status), Due: valueOf(u.Due),
		Tags: u.Tags, Entities: u.Entities, Aliases: u.Aliases, AllowArc: true,
	}
	if u.Title != nil {
		write.Title = *u.Title
	}
	if !u.replaces() {
		write.Claim = "none"
	}
	return newDraft(write, at)
}

// valueOf is the text that a pointer leads to, "" for none.
func valueOf(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// amend brings what was given into the bytes of a file. They are the same bytes
// when it is there already.
func (u UpdateRequest) amend(there *endpoint, doc *memory.Document, d *draft) ([]byte, error) {
	edits := slices.Concat(
		removeMetas("memhtml-tag", u.RemoveTags), removeMetas("memhtml-entity", u.RemoveEntities), removeMetas("memhtml-alias", u.RemoveAliases),
		mergeEdits(doc.Metas, d.metas),
	)
	if u.Status != nil {
		edits = append(edits, setMeta("memhtml-task-status", d.metas.TaskStatus))
	}
	for name, value := range map[string]*string{
		"memhtml-author": u.Author, "memhtml-valid-from": u.ValidFrom, "memhtml-valid-until": u.ValidUntil, "memhtml-due": u.Due,
	} {
		if value != nil && blank(*value) {
			edits = append(edits, func(source []byte) ([]byte, error) { return memory.RemoveMeta(source, name) })
		}
	}
	if u.Title != nil && d.title != doc.Title {
		edits = append(edits, replaceContent("title", d.source))
	}
	switch {
	case u.spliced:
		edits = append(edits, putContent("article", []byte(*u.ArticleHTML)))
	case u.replaces():
		edits = append(edits, replaceContent("article", d.source))
	}
	after, err := applyEdits(there.source, edits...)
	if err == nil && u.replaces() {
		if memory.Parse(after).ContentHash != d.file.ContentHash {
			return nil, notEditable(there.path, nil)
		}
		if !bytes.Equal(after, there.source) {
			after, err = memory.SetMeta(after, "memhtml-content-hash", d.file.ContentHash.String())
		}
	}
	if err != nil {
		return nil, notEditable(there.path, err)
	}
	return after, nil
}

// replaceContent puts what lies between the tags of the first element of a name
// in one text between those of another, whose line ending is kept.
func replaceContent(name string, from []byte) edit {
	return func(source []byte) ([]byte, error) {
		with, ok := contentOf(name, from)
		if !ok {
			return nil, memory.ErrIneffective
		}
		return putContent(name, endedLike(source, from[with.Start:with.End]))(source)
	}
}

// putContent puts a text between the tags of the first element of a name.
func putContent(name string, text []byte) edit {
	return func(source []byte) ([]byte, error) {
		at, ok := contentOf(name, source)
		if !ok {
			return nil, memory.ErrIneffective
		}
		return slices.Concat(source[:at.Start], text, source[at.End:]), nil
	}
}

// endedLike gives lines that end in LF the line end of a file.
func endedLike(source, text []byte) []byte {
	if bytes.Contains(source, []byte("\r\n")) {
		return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text
}

func contentOf(name string, source []byte) (memory.Span, bool) {
	for _, element := range memory.Parse(source).Spans().Elements() {
		if element.Name == name {
			return element.Content, true
		}
	}
	return memory.Span{}, false
}
