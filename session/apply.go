package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// ApplyRequest asks for many new memories in one commit.
type ApplyRequest struct {
	Operations []WriteOperation
	// ContinueOnError writes the operations that can be; without it one that
	// cannot be refuses all.
	ContinueOnError bool
	// DetectConflicts reports, for each operation, the memory or the earlier
	// operation that has the slot of its claim. It blocks nothing (M62).
	DetectConflicts bool
	// DetectNearDuplicates asks for memories that say nearly the same.
	DetectNearDuplicates bool
	Consolidate          Consolidate
	// SessionID, PromptID and TurnUUID are those of operations that have none of
	// the three (M40).
	SessionID, PromptID, TurnUUID string
	// AllowArc is [WriteRequest.AllowArc] for all operations.
	AllowArc bool
}

// Consolidate is what a batch does with claims that fill one slot.
type Consolidate string

// With ConsolidateLastWins, of the operations that fill one slot the last is
// written, in the place of the first, and supersedes the saved memory that has
// the slot, in the same commit (M73, D8).
const (
	ConsolidateNone     Consolidate = ""
	ConsolidateLastWins Consolidate = "last-wins"
)

// ApplyResult is the data of "apply.result". Results has one entry for each
// operation, in the order of the operations, whatever came of them (M30).
type ApplyResult struct {
	Done
	Results []OperationResult `json:"results"`
	Summary ApplySummary      `json:"summary"`
	// WrittenPaths are the files of operations that the commit has, each once.
	WrittenPaths []string `json:"writtenPaths"`
	// NearDuplicatesDegraded says that near duplicates were asked for, by the
	// batch or an operation, and not looked for.
	NearDuplicatesDegraded bool `json:"nearDuplicatesDegraded,omitempty"`
}

// OperationResult is what became of one operation.
type OperationResult struct {
	Index        int     `json:"index"`
	OK           bool    `json:"ok"`
	Path         string  `json:"path,omitempty"`
	Action       Outcome `json:"action,omitempty"`
	ExistingPath string  `json:"existingPath,omitempty"`
	// Already says that an update found nothing to change.
	Already bool `json:"already,omitempty"`
	// ConsolidatedInto is the index of the earlier operation for the same slot,
	// whose result tells what was written: the last of them.
	ConsolidatedInto *int `json:"consolidatedInto,omitempty"`
	// SupersededPath is where the memory is now that this one superseded.
	SupersededPath string `json:"supersededPath,omitempty"`
	// Skipped says that it was not done because another operation refused.
	Skipped  bool         `json:"skipped,omitempty"`
	Code     failure.Code `json:"code,omitempty"`
	Error    string       `json:"error,omitempty"`
	Conflict *Conflict    `json:"conflict,omitempty"`
	// NearDuplicates is absent when they were not asked for, and null when they
	// were and nobody looked.
	NearDuplicates *[]NearDuplicate `json:"nearDuplicates,omitempty"`
}

// ApplySummary counts the operations. Written to Consolidated add up to Total;
// a conflict is not an outcome and not counted (M70).
type ApplySummary struct {
	Total int `json:"total"`
	// Written are those that the commit has something of, created or updated;
	// Deduped those whose memory was there with all they bring.
	Written int `json:"written"`
	Deduped int `json:"deduped"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	// Consolidated is absent where nobody asked to consolidate (D8).
	Consolidated *int `json:"consolidated,omitempty"`
}

// Apply writes a batch in one commit, or none of it (M28-M42). All operations
// are judged before anything is touched. One that is refused refuses the batch:
// then the result has its code and everything else is skipped; with
// ContinueOnError the others are written. That is a result, not an error, and
// Summary.Failed tells. An error is a *failure.Error; when the commit itself
// failed, its Data is the ApplyResult.
func (r *Root) Apply(ctx context.Context, request ApplyRequest) (ApplyResult, error) {
	a := &application{request: request, at: r.now()}
	switch request.Consolidate {
	case ConsolidateNone, ConsolidateLastWins:
	default:
		return ApplyResult{}, named("Not applied", noChoice("consolidate", string(request.Consolidate), string(ConsolidateLastWins)))
	}
	a.prepare()
	if len(a.drafts) == 0 {
		return a.result(Done{At: memory.Stamp(a.at)}), nil
	}
	var result ApplyResult
	err := r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
		result, err = a.run(ctx, r, commit)
		return err
	})
	if err != nil {
		return ApplyResult{}, named("Not applied", err)
	}
	var asked []string
	for _, one := range result.Results {
		if one.Action == OutcomeCreated && a.request.Operations[one.Index].Path != "" {
			asked = append(asked, one.Path)
		}
	}
	result.Warnings = append(result.Warnings, r.ignored(ctx, asked...)...)
	return result, nil
}

// run does what Apply does while no other process writes.
func (a *application) run(ctx context.Context, r *Root, commit func(store.Plan) (Done, error)) (ApplyResult, error) {
	if a.batch != nil {
		a.prepare()
	}
	corpus, err := r.openCorpus(ctx)
	if err != nil {
		return ApplyResult{}, err
	}
	defer corpus.close()
	if a.batch, err = newBatch(ctx, corpus, a.at, a.drafts...); err != nil {
		return ApplyResult{}, err
	}
	a.detect()
	a.consolidate()
	a.settle(ctx)
	if first := a.firstFailed(); first >= 0 && !a.request.ContinueOnError {
		a.abort(first, nil)
	}
	done := Done{At: memory.Stamp(a.at)}
	if len(a.batch.changes) > 0 {
		if done, err = commit(a.batch.plan(a.subject(), a.trailers())); err != nil {
			return ApplyResult{}, a.commitFailed(err)
		}
	}
	r.recordBatch(a, done.At)
	done.Warnings = append(done.Warnings, a.warnings...)
	return a.result(done), nil
}

// commitFailed says of each operation that it was not done, the first of those
// that would have been written with the reason.
func (a *application) commitFailed(err error) error {
	first := 0
	for i := range a.results {
		if a.wrote[i] {
			first = i
			break
		}
	}
	a.abort(first, err)
	var known *failure.Error
	if !errors.As(err, &known) {
		return err
	}
	refused := *known
	refused.Data = a.result(Done{At: memory.Stamp(a.at)})
	return &refused
}

// subject names the memory, or how many there are (format.md §6).
func (a *application) subject() string {
	n, title := 0, ""
	for i, wrote := range a.wrote {
		if wrote {
			n, title = n+1, a.titles[i]
		}
	}
	if n == 1 {
		return memory.Subject("batch", title)
	}
	return memory.Subject("batch", fmt.Sprintf("%d memories", n))
}

// trailers are those of the first operation in the commit that has any (M40).
func (a *application) trailers() []store.Trailer {
	for i, d := range a.drafts {
		if trailers := d.trailers(); a.wrote[i] && len(trailers) > 0 {
			return trailers
		}
	}
	return nil
}
