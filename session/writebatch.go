package session

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// maxOrdinal is the last ordinal that is tried for a free path (M8).
const maxOrdinal = 1000

// batch settles drafts one after the other against the corpus and against each
// other, and gathers the changes of their one commit. It touches nothing.
type batch struct {
	root   *Root
	corpus *corpus
	at     time.Time
	// answer and claims are what the index believes of all drafts' keys.
	answer index.Answer
	claims map[memory.Hash]string
	// contents and normals are where the batch's own drafts found their place.
	contents, normals map[memory.Hash]string
	// claimed are the paths that the batch itself will fill, next the ordinal to
	// try for the first path of a draft.
	claimed map[string]bool
	next    map[string]int
	changes []*store.Change
	// leads are the changes by the path they lead to, vacated the paths that a
	// change takes a file away from.
	leads   map[string]*store.Change
	vacated map[string]bool
}

// settled is what became of a draft.
type settled struct {
	outcome        Outcome
	path, existing string
	// title and hash are those of the file at path.
	title string
	hash  memory.Hash
	// wrote says that the commit has a change for it.
	wrote bool
	// warning is a thing to know of its path, "" for none.
	warning string
}

// newBatch asks the index for the keys of all drafts at once (R10, M64).
func newBatch(ctx context.Context, c *corpus, at time.Time, drafts ...*draft) (*batch, error) {
	b := &batch{
		root: c.root, corpus: c, at: at,
		contents: map[memory.Hash]string{}, normals: map[memory.Hash]string{},
		claimed: map[string]bool{}, next: map[string]int{},
		leads: map[string]*store.Change{}, vacated: map[string]bool{},
	}
	q := question(drafts)
	var err error
	if b.answer, err = c.ask(ctx, q); err != nil {
		return nil, err
	}
	b.claims, err = c.claims(ctx, q.Contents)
	return b, err
}

// question has each key once.
func question(drafts []*draft) index.Question {
	var q index.Question
	contents, normals, frames := map[memory.Hash]bool{}, map[memory.Hash]bool{}, map[string]bool{}
	for _, d := range drafts {
		if key := d.slot(); key != "" && !frames[key] {
			frames[key] = true
			q.Frames = append(q.Frames, key)
		}
		if d.file == nil || !d.file.Eligible() {
			continue
		}
		if h := d.file.ContentHash; !contents[h] {
			contents[h] = true
			q.Contents = append(q.Contents, h)
		}
		if h := d.file.NormalHash; d.updates() && h != (memory.Hash{}) && !normals[h] {
			normals[h] = true
			q.Normals = append(q.Normals, h)
		}
	}
	return q
}

// updates reports whether a match is to be updated, not refused.
func (d *draft) updates() bool { return d.request.Dedupe != "" && d.request.Dedupe != DedupeOff }

// settle finds what becomes of a draft, and remembers it for those that follow.
func (b *batch) settle(ctx context.Context, d *draft) (settled, error) {
	did, err := b.decide(ctx, d)
	if err == nil && d.file.Eligible() {
		remember(b.contents, d.file.ContentHash, did.path)
		if d.file.NormalHash != (memory.Hash{}) {
			remember(b.normals, d.file.NormalHash, did.path)
		}
	}
	return did, err
}

// remember keeps the first path of a hash.
func remember(paths map[memory.Hash]string, h memory.Hash, path string) {
	if _, known := paths[h]; !known {
		paths[h] = path
	}
}

func (b *batch) decide(ctx context.Context, d *draft) (settled, error) {
	if d.file.Eligible() {
		if d.updates() {
			if path := b.match(d); path != "" {
				return b.merge(d, path)
			}
		}
		if path := b.duplicate(d); path != "" {
			return settled{outcome: OutcomeDeduped, path: path, existing: path, title: d.title, hash: d.file.ContentHash}, nil
		}
	}
	path, err := b.freePath(ctx, d)
	if err != nil {
		return settled{}, err
	}
	did := settled{outcome: OutcomeCreated, path: path, title: d.title, hash: d.file.ContentHash, wrote: true}
	if d.request.Path != "" {
		did.warning, err = stuck(path, b.at, func(path string) (bool, error) { return b.taken(ctx, path) })
	}
	b.add(&store.Change{Path: path, After: d.source})
	return did, err
}

// duplicate is the memory that has the draft's content. The batch's own come
// first (M35), then what the lookup says, then what the claims say: the last two
// refuse independently of each other (M18).
func (b *batch) duplicate(d *draft) string {
	h := d.file.ContentHash
	if path := b.contents[h]; path != "" {
		return path
	}
	has := func(f *index.File) bool { return f.ContentHash == h }
	for _, file := range b.answer.Contents[h] {
		if b.standing(file.Path, has) {
			return file.Path
		}
	}
	if path := b.claims[h]; path != "" && b.standing(path, has) {
		return path
	}
	return ""
}

// match is the memory in scope that a draft updates: the one with its content,
// else one that differs in invisible form alone (W1).
func (b *batch) match(d *draft) string {
	if path := b.duplicate(d); path != "" && b.inScope(d, path) {
		return path
	}
	h := d.file.NormalHash
	if h == (memory.Hash{}) {
		return ""
	}
	if path := b.normals[h]; path != "" && b.inScope(d, path) {
		return path
	}
	for _, file := range b.answer.Normals[h] {
		has := func(f *index.File) bool { return f.NormalHash == h }
		if b.standing(file.Path, has) && b.inScope(d, file.Path) {
			return file.Path
		}
	}
	return ""
}

// standing reports whether a memory is there with a property and the batch does
// not take it away.
func (b *batch) standing(path string, has func(*index.File) bool) bool {
	return !b.vacated[path] && b.root.stillHolds(path, has)
}

// inScope reports whether a draft may update a memory.
func (b *batch) inScope(d *draft, path string) bool {
	switch d.request.Scope {
	case ScopeWorkspace:
		return workspaceOf(path) == d.workspace()
	case ScopeAuthor:
		source, _, err := b.current(path)
		return err == nil && memory.Parse(source).Metas.Author == strings.TrimSpace(d.request.Author)
	}
	return true
}

// workspaceOf is the projects/<workspace> that a path lies in, or "".
func workspaceOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 3 || parts[0] != "projects" {
		return ""
	}
	return parts[0] + "/" + parts[1]
}

func (d *draft) workspace() string {
	if d.place.Workspace != "" {
		return "projects/" + memory.Slug(d.place.Workspace)
	}
	return workspaceOf(d.file.Path)
}

// add makes a change part of the commit, once.
func (b *batch) add(c *store.Change) {
	if b.leads[c.Path] == c {
		return
	}
	b.changes = append(b.changes, c)
	b.leads[c.Path], b.claimed[c.Path] = c, true
	if c.From != "" && c.From != c.Path {
		b.vacated[c.From] = true
	}
}

// current is what a path will hold by now, with the change that makes it so
// when there is one.
func (b *batch) current(path string) ([]byte, *store.Change, error) {
	if c := b.leads[path]; c != nil {
		return c.After, c, nil
	}
	e, err := b.root.readEndpoint(path, nil)
	if err != nil {
		return nil, nil, err
	}
	return e.source, &store.Change{From: path, Path: path, Expect: &e.hash, After: e.source}, nil
}

// merge gives the metadata of a draft to a memory that says it already; the text
// stays (W13, D8).
func (b *batch) merge(d *draft, path string) (settled, error) {
	source, change, err := b.current(path)
	if err != nil {
		return settled{}, err
	}
	doc := memory.Parse(source)
	did := settled{outcome: OutcomeUpdated, path: path, existing: path, title: doc.Title, hash: doc.ContentHash}
	after, err := applyEdits(source, mergeEdits(doc.Metas, d.metas)...)
	if err != nil {
		return settled{}, notEditable(path, err)
	}
	if bytes.Equal(after, source) {
		return did, nil
	}
	if after, err = memory.SetMeta(after, "memhtml-updated", memory.Stamp(b.at)); err != nil {
		return settled{}, notEditable(path, err)
	}
	if err := gate(memory.Parse(after).Violations); err != nil {
		return settled{}, err
	}
	change.After = after
	b.add(change)
	did.wrote = true
	return did, nil
}

// ifFree refuses a path that was asked for and is taken.
func ifFree(path string, taken func(string) (bool, error)) error {
	is, err := taken(path)
	if err == nil && is {
		err = failure.New(failure.DestinationExists, "%s exists already.", diagnostics.Shown(path)).
			Suggest("Choose another path, or update the memory that is there.")
	}
	return err
}

// firstFree is the first of numbered paths that is not taken, and its number.
func firstFree(nth func(int) string, from, to int, taken func(string) (bool, error)) (string, int, error) {
	for n := from; n <= to; n++ {
		path := nth(n)
		if is, err := taken(path); err != nil || !is {
			return path, n, err
		}
	}
	return "", to, failure.New(failure.DestinationExists, "a thousand memories have the name of %s already.", diagnostics.Shown(nth(1))).
		Suggest("Choose another title or a path.")
}

// taken reports whether the batch, the disk or the last commit has something at
// a path.
func (b *batch) taken(ctx context.Context, path string) (bool, error) {
	if b.claimed[path] {
		return true, nil
	}
	return b.root.occupied(ctx, path)
}

// occupied reports whether the disk or the last commit has something at a path,
// or whether no memory can be there: a title may give the name index.html.
func (r *Root) occupied(ctx context.Context, path string) (bool, error) {
	if !memory.IsMemoryPath(path) {
		return true, nil
	}
	_, err := r.files.Lstat(path)
	switch {
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, unreadable(path, err)
	}
	return r.repo.Holds(ctx, path)
}

// incumbent is the saved memory that has the slot of a draft's claim, the first
// when there are several; nil when there is none, or when it has the very
// content.
func (b *batch) incumbent(d *draft) *Conflict {
	key := d.slot()
	if key == "" {
		return nil
	}
	has := func(f *index.File) bool { return f.FrameKey == key }
	for _, file := range b.answer.Frames[key] {
		if file.ContentHash != d.file.ContentHash && b.standing(file.Path, has) {
			return &Conflict{Path: file.Path, Key: file.FrameKey, Claim: file.Gist, SameValue: file.SameValue(d.file)}
		}
	}
	return nil
}

// plan is the one commit of the batch.
func (b *batch) plan(subject string, trailers []store.Trailer) store.Plan {
	plan := store.Plan{Message: store.Message{Subject: subject, Trailers: trailers}, At: b.at}
	for _, change := range b.changes {
		plan.Changes = append(plan.Changes, *change)
	}
	return plan
}
