package session

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// MergeRequest asks to fold Drop into Keep.
type MergeRequest struct {
	Keep, Drop          string
	SessionID, PromptID string
	Expect              Expectations
}

// MergeResult is the data of "merge.result".
type MergeResult struct {
	Done
	Keep        string `json:"keep"`
	Drop        string `json:"drop"`
	ArchivePath string `json:"archivePath"`
}

// Merge gives Drop's tags, entities and aliases to Keep and archives Drop as
// superseded by it, in one commit. Both texts stay as they are. Which of the
// two is kept is the caller's word; what is offered is to keep the older, so
// that an error never takes the place of its correction (M83). Refusals are
// *failure.Error.
func (r *Root) Merge(ctx context.Context, request MergeRequest) (result MergeResult, err error) {
	pair := Pair{Winner: memory.NormalizePath(request.Keep), Loser: memory.NormalizePath(request.Drop)}
	if pair.Winner == pair.Loser {
		err = failure.New(failure.RoleConflict, "%s cannot be merged into itself.", diagnostics.Shown(pair.Loser)).
			Suggest("Name two different memories.")
	} else {
		err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
			result, err = r.merge(ctx, pair, request, commit)
			return err
		})
	}
	return result, named("Not merged", err)
}

// merge decides and commits; the caller holds the writer lock.
func (r *Root) merge(ctx context.Context, pair Pair, request MergeRequest, commit func(store.Plan) (Done, error)) (MergeResult, error) {
	at := r.now()
	h := handover{at: at, heirs: map[string]*heir{}}
	result := MergeResult{Keep: pair.Winner, Drop: pair.Loser, ArchivePath: memory.ArchivePath(pair.Loser, at.Year())}
	drop, err := r.addPair(&h, pair, request.Expect)
	if form, ok := r.alreadySuperseded(pair.Winner, pair.Loser, err); ok {
		result.ArchivePath, result.Done = form, r.already(ctx, pair.Loser, at)
		return result, nil
	}
	if err != nil {
		return MergeResult{}, err
	}
	if err := h.heirs[pair.Winner].unite(drop.Metas, memory.Stamp(at)); err != nil {
		return MergeResult{}, err
	}
	message := store.Message{
		Subject:  memory.Subject("merge", pair.Loser+" into "+pair.Winner),
		Trailers: provenance(request.SessionID, request.PromptID),
	}
	result.Done, err = commit(store.Plan{Changes: h.changes(), Message: message, At: at})
	if err != nil {
		return MergeResult{}, err
	}
	r.record(request.SessionID, result.At, index.SessionReinforced, pair.Winner)
	r.record(request.SessionID, result.At, index.SessionCorrected, result.ArchivePath)
	return result, nil
}

// unite adds what another memory is filed under. When that is anything new, the
// memory is updated.
func (h *heir) unite(other memory.Metas, stamp string) error {
	before := string(h.after)
	united, err := applyEdits(h.after, uniteMetas(other)...)
	if err == nil && string(united) != before {
		united, err = memory.SetMeta(united, "memhtml-updated", stamp)
	}
	if err != nil {
		return notEditable(h.path, err)
	}
	h.after = united
	return nil
}
