package session

import (
	"context"
	"slices"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// application is one run of [Root.Apply]. The slices have an entry for each
// operation.
type application struct {
	request ApplyRequest
	at      time.Time
	drafts  []*draft
	// errs are the refusals so far.
	errs    []error
	results []OperationResult
	// wrote says that the commit has something of an operation, titles what its
	// file is called.
	wrote  []bool
	titles []string
	// into is the operation in whose place one is written, its own as a rule; order
	// is in which order they are written.
	into, order []int
	batch       *batch
	warnings    []string
}

// prepare renders and checks every operation, without looking at the corpus.
func (a *application) prepare() {
	n := len(a.request.Operations)
	a.warnings = nil
	a.drafts, a.errs, a.results = make([]*draft, n), make([]error, n), make([]OperationResult, n)
	a.wrote, a.titles, a.into, a.order = make([]bool, n), make([]string, n), make([]int, n), make([]int, n)
	for i, operation := range a.request.Operations {
		request := operation.WriteRequest
		if request.SessionID == "" && request.PromptID == "" && request.TurnUUID == "" {
			request.SessionID, request.PromptID, request.TurnUUID = a.request.SessionID, a.request.PromptID, a.request.TurnUUID
		}
		request.AllowArc = a.request.AllowArc
		a.drafts[i], a.errs[i] = newDraft(request, a.at)
		a.results[i] = OperationResult{Index: i}
		if a.request.DetectNearDuplicates {
			a.results[i].NearDuplicates = new([]NearDuplicate)
		}
		a.into[i], a.order[i] = i, i
	}
}

// detect finds for each operation what has the slot of its claim: a saved memory
// before an earlier operation, and of those the first, so that a chain points at
// one claim (M65, M66). An exact duplicate is in conflict with nothing. Refused
// operations are told too (M68).
func (a *application) detect() {
	if !a.request.DetectConflicts {
		return
	}
	claimants := map[string]int{}
	said := map[memory.Hash]bool{}
	for i, d := range a.drafts {
		key := d.slot()
		if key == "" {
			continue
		}
		first, taken := claimants[key]
		if !taken {
			claimants[key] = i
		}
		hash := d.file.ContentHash
		if !said[hash] && a.batch.duplicate(d) == "" {
			a.results[i].Conflict = a.batch.incumbent(d)
			if a.results[i].Conflict == nil && taken {
				there := a.drafts[first].file
				a.results[i].Conflict = &Conflict{
					Index: &first, Key: key, Claim: there.Gist, SameValue: there.SameValue(d.file),
				}
			}
		}
		said[hash] = true
	}
}

// consolidate lets the last operation of a slot be written where the first one
// stands; the later ones say so (M73).
func (a *application) consolidate() {
	if a.request.Consolidate != ConsolidateLastWins {
		return
	}
	first := map[string]int{}
	a.order = a.order[:0]
	for i, d := range a.drafts {
		key := d.slot()
		slot, taken := first[key]
		if key == "" || a.errs[i] != nil || !taken {
			a.order = append(a.order, i)
			if key != "" && a.errs[i] == nil {
				first[key] = i
			}
			continue
		}
		a.into[i], a.drafts[slot] = slot, d
	}
}

// settle finds what becomes of every operation.
func (a *application) settle(ctx context.Context) {
	for _, i := range a.order {
		if a.errs[i] == nil {
			a.errs[i] = a.settleOne(ctx, i)
		}
		if a.errs[i] != nil {
			fail(&a.results[i], a.errs[i])
		}
	}
	for i, into := range a.into {
		if i == into {
			continue
		}
		a.results[i].ConsolidatedInto = &a.into[i]
		a.results[i].OK = a.errs[into] == nil
		a.results[i].Skipped = !a.results[i].OK
	}
}

func (a *application) settleOne(ctx context.Context, i int) error {
	d, result := a.drafts[i], &a.results[i]
	did, err := a.batch.settle(ctx, d)
	if err != nil {
		return err
	}
	result.OK, result.Path, result.Action, result.ExistingPath = true, did.path, did.outcome, did.existing
	result.Already = did.outcome == OutcomeUpdated && !did.wrote
	a.wrote[i], a.titles[i] = did.wrote, did.title
	if did.warning != "" {
		a.warnings = append(a.warnings, did.warning)
	}
	if a.request.Consolidate == ConsolidateLastWins && did.outcome == OutcomeCreated {
		a.displace(ctx, i, did.path)
	}
	return nil
}

// displace lets a new memory supersede the saved one that has its slot. When
// that cannot be, the memory is written all the same, and it is said (M73).
func (a *application) displace(ctx context.Context, i int, path string) {
	there := a.batch.incumbent(a.drafts[i])
	if there == nil {
		return
	}
	if err := a.batch.supersede(ctx, path, there.Path); err != nil {
		a.warnings = append(a.warnings, diagnostics.Shown(there.Path)+" is not superseded by "+diagnostics.Shown(path)+": "+message(err))
		return
	}
	a.results[i].SupersededPath = memory.ArchivePath(there.Path, a.at.Year())
}

// supersede makes a new memory of the batch supersede a saved one.
func (b *batch) supersede(ctx context.Context, winner, loser string) error {
	if b.leads[loser] != nil {
		return failure.New(failure.RoleConflict, "another operation updates it.")
	}
	to := memory.ArchivePath(loser, b.at.Year())
	taken, err := b.taken(ctx, to)
	if err == nil && taken {
		err = failure.New(failure.DestinationExists, "%s exists already; give %s another name first.", diagnostics.Shown(to), diagnostics.Shown(loser))
	}
	if err != nil {
		return err
	}
	old, err := b.root.readEndpoint(loser, nil)
	if err != nil {
		return err
	}
	change := b.leads[winner]
	h := handover{at: b.at, heirs: map[string]*heir{}}
	if err := h.admit(&endpoint{path: winner, source: change.After}); err != nil {
		return err
	}
	if _, err := h.add(h.heirs[winner], old); err != nil {
		return err
	}
	change.After = h.heirs[winner].after
	for _, move := range h.moves {
		b.add(&move)
	}
	return nil
}

// slot is the frame key of a draft that takes part in relations, were it
// accepted; "" without one.
func (d *draft) slot() string {
	if d.file == nil || d.file.Type == "task" || d.file.Archived() {
		return ""
	}
	return d.file.FrameKey
}

func (a *application) firstFailed() int {
	return slices.IndexFunc(a.errs, func(err error) bool { return err != nil })
}

// abort leaves nothing of the batch but the reason, at the operation that gave
// it; what was found out about the claims stays (M31, M68).
func (a *application) abort(first int, err error) {
	if err != nil {
		a.errs[first] = err
	}
	for i, was := range a.results {
		a.results[i] = OperationResult{Index: i, Skipped: true, Conflict: was.Conflict, NearDuplicates: was.NearDuplicates}
		a.wrote[i] = false
	}
	fail(&a.results[first], a.errs[first])
	a.batch.changes, a.warnings = nil, nil
}

// fail tells why an operation is refused. A result has no suggestions: a name that
// may have been meant is told with the rest.
func fail(result *OperationResult, err error) {
	refusal := Refusal(err)
	result.OK, result.Skipped = false, false
	result.Code, result.Error = refusal.Code, refusal.Error
	if refusal.suggestsNames() {
		result.Error = refusal.Sentences()
	}
}

// message is what may be shown of an error.
func message(err error) string { return Refusal(err).Error }

// result counts and returns what there is.
func (a *application) result(done Done) ApplyResult {
	result := ApplyResult{
		Done: done, Results: a.results, WrittenPaths: []string{}, Summary: ApplySummary{Total: len(a.results)},
		NearDuplicatesDegraded: a.request.DetectNearDuplicates,
	}
	consolidated := 0
	seen := map[string]bool{}
	for i, one := range a.results {
		result.NearDuplicatesDegraded = result.NearDuplicatesDegraded || a.drafts[i].degraded
		switch {
		case one.Skipped:
			result.Summary.Skipped++
		case !one.OK:
			result.Summary.Failed++
		case one.ConsolidatedInto != nil:
			consolidated++
		case a.wrote[i]:
			result.Summary.Written++
		default:
			result.Summary.Deduped++
		}
		if a.wrote[i] && !seen[one.Path] {
			seen[one.Path] = true
			result.WrittenPaths = append(result.WrittenPaths, one.Path)
		}
	}
	if a.request.Consolidate != ConsolidateNone {
		result.Summary.Consolidated = &consolidated
	}
	return result
}
