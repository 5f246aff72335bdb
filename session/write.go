package session

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// WriteRequest asks for one new memory. Title, Type and one of Claim,
// ArticleHTML, Body or Prose are required; what is empty is left out.
type WriteRequest struct {
	Title, Type string
	// Claim is the text of the mark. When it is blank, the first sentence of
	// Body and Prose is the claim.
	Claim string
	// ArticleHTML is the whole inner markup of the article, in place of Claim,
	// Body and Prose.
	ArticleHTML string
	// Body is one paragraph each, Prose text with blank lines between them.
	Body  []string
	Prose string

	// Path is where the memory is to be, "" for a place found by format.md §6.
	// A name without an extension gets .html, unless StrictPath is set; one that no
	// memory can be at is refused.
	Path       string
	StrictPath bool
	Workspace  string

	Tags, Entities, Aliases []string
	// Importance is 1 to 10, Confidence 0 to 1.
	Importance            *int
	Confidence            *float64
	Author                string
	ValidFrom, ValidUntil string
	// Status and Due are those of a task.
	Status, Due string

	// SessionID, PromptID and TurnUUID say where the memory comes from (M110).
	SessionID, PromptID, TurnUUID string

	// Dedupe is what happens when the corpus says it already. "" is DedupeOff.
	Dedupe Dedupe
	// NearThreshold is within 0 and 1, NearCandidates at least 1; 0 is the
	// default of either.
	NearThreshold  float64
	NearCandidates int
	// Scope narrows which memories may be updated. "" is ScopeRoot.
	Scope Scope

	// AllowArc lets the type be arc, which is for a person at a command line
	// alone: no agent, and so no server command, sets it (format.md §2).
	AllowArc bool
}

// Dedupe is what a write does with a memory that says the same (W2).
type Dedupe string

// With DedupeOff an exact duplicate is refused, as action deduped. With the
// others a match is updated in place. Near matches need an embedder: DedupeNear
// is refused without one, DedupeExactOrNear goes on with the exact match alone
// and says so.
const (
	DedupeOff         Dedupe = "off"
	DedupeExact       Dedupe = "exact"
	DedupeNear        Dedupe = "near"
	DedupeExactOrNear Dedupe = "exact-or-near"
)

// Scope is among which memories a match is looked for that may be updated (W8):
// all, those of the same projects/<workspace>, or those of the same author. A
// memory outside the scope that says the same is not updated, but it is still
// an exact duplicate, which memhtml cannot index beside another.
type Scope string

// The scopes.
const (
	ScopeRoot      Scope = "root"
	ScopeWorkspace Scope = "workspace"
	ScopeAuthor    Scope = "author"
)

// Outcome is what became of one write.
type Outcome string

// The outcomes.
const (
	// OutcomeCreated is a new file.
	OutcomeCreated Outcome = "created"
	// OutcomeUpdated is a match whose metadata now has what the write brought.
	OutcomeUpdated Outcome = "updated"
	// OutcomeDeduped is a refused duplicate: nothing was touched (M2).
	OutcomeDeduped Outcome = "deduped"
)

// Conflict says that the corpus has a claim in the slot of an incoming one
// (M56). It never blocks a write.
type Conflict struct {
	// Path is the saved memory that has the slot; Index the earlier operation of
	// the same batch that has it. One of them is set.
	Path  string `json:"path,omitempty"`
	Index *int   `json:"index,omitempty"`
	// Key is the slot, Claim what stands in it.
	Key   string `json:"key"`
	Claim string `json:"claim"`
	// SameValue says that both fill the slot with the same value, in other
	// words: a restatement (M72).
	SameValue bool `json:"sameValue"`
}

// NearDuplicate is a memory that says nearly the same.
type NearDuplicate struct {
	Path       string  `json:"path,omitempty"`
	Index      *int    `json:"index,omitempty"`
	Claim      string  `json:"claim"`
	Similarity float64 `json:"similarity"`
}

// WriteResult is the data of "write.result".
type WriteResult struct {
	Done
	// Path is the file that says it now: the new one, or the one that did
	// already, which ExistingPath then names too (M4).
	Path         string  `json:"path"`
	Action       Outcome `json:"action"`
	ExistingPath string  `json:"existingPath,omitempty"`
	// ContentHash is that of the file at Path.
	ContentHash string     `json:"contentHash"`
	Conflicts   []Conflict `json:"conflicts"`
	// NearDuplicates is nil when nobody looked for them.
	NearDuplicates []NearDuplicate `json:"nearDuplicates"`
	// NearDuplicatesDegraded says that they were asked for and not looked for.
	NearDuplicatesDegraded bool `json:"nearDuplicatesDegraded"`
}

// Write makes one memory in one commit. The steps are those of M1: rendered and
// checked, hashed, asked whether anybody says it, given a free path, written,
// committed; each is the end where it refuses, and then nothing was touched. An
// exact duplicate is a result, not an error. Refusals are *failure.Error.
func (r *Root) Write(ctx context.Context, request WriteRequest) (WriteResult, error) {
	at := r.now()
	var result WriteResult
	draft, err := newDraft(request, at)
	if err == nil {
		err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) error {
			result, err = r.write(ctx, draft, commit)
			return err
		})
	}
	if err != nil {
		return WriteResult{}, named("Not written", err)
	}
	if draft.request.Path != "" && result.Action == OutcomeCreated {
		result.Warnings = append(result.Warnings, r.ignored(ctx, result.Path)...)
	}
	return result, nil
}

// write is what Write does while no other process writes.
func (r *Root) write(ctx context.Context, d *draft, commit func(store.Plan) (Done, error)) (WriteResult, error) {
	corpus, err := r.openCorpus(ctx)
	if err != nil {
		return WriteResult{}, err
	}
	defer corpus.close()
	b, err := newBatch(ctx, corpus, d.at, d)
	if err != nil {
		return WriteResult{}, err
	}
	did, err := b.settle(ctx, d)
	if err != nil {
		return WriteResult{}, err
	}
	result := WriteResult{
		Done: Done{At: memory.Stamp(d.at)}, Path: did.path, Action: did.outcome, ExistingPath: did.existing,
		ContentHash: did.hash.String(), Conflicts: []Conflict{}, NearDuplicatesDegraded: d.degraded,
	}
	if conflict := b.incumbent(d); conflict != nil && did.outcome == OutcomeCreated {
		result.Conflicts = append(result.Conflicts, *conflict)
	}
	if len(b.changes) == 0 {
		result.Already = did.outcome == OutcomeUpdated
		r.recordWrite(d, did.outcome, did.path, result.At)
		return result, nil
	}
	op := "write"
	if did.outcome == OutcomeUpdated {
		op = "update"
	}
	if result.Done, err = commit(b.plan(memory.Subject(op, did.title), d.trailers())); err != nil {
		return WriteResult{}, err
	}
	if did.warning != "" {
		result.Warnings = append(result.Warnings, did.warning)
	}
	r.recordWrite(d, did.outcome, did.path, result.At)
	return result, nil
}
