package session

import (
	"context"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// Supersede archives the loser, hands its validity over to the winner and links
// the two, in one commit (M90-M98). Refusals are *failure.Error.
func (r *Root) Supersede(ctx context.Context, request SupersedeRequest) (SupersedeResult, error) {
	winner, loser := memory.NormalizePath(request.Winner), memory.NormalizePath(request.Loser)
	at := r.now()
	plan, err := r.planSupersede(winner, loser, request.Expect, at)
	pair := Superseded{Loser: loser, Winner: winner, ArchivePath: memory.ArchivePath(loser, at.Year())}
	if err == nil {
		var done Done
		if done, err = r.execute(ctx, plan); err == nil {
			return SupersedeResult{Done: done, Archived: []Superseded{pair}}, nil
		}
	}
	if archived, ok := r.alreadySuperseded(winner, loser, err); ok {
		pair.ArchivePath = archived
		return SupersedeResult{Done: r.already(ctx, loser, at), Archived: []Superseded{pair}}, nil
	}
	return SupersedeResult{}, named("Not superseded", err)
}

func (r *Root) planSupersede(winnerPath, loserPath string, expect Expectations, at time.Time) (store.Plan, error) {
	if winnerPath == loserPath {
		return store.Plan{}, failure.New(failure.RoleConflict, "%s cannot supersede itself.", Shown(winnerPath)).
			Suggest("Name two different memories.")
	}
	winner, err := r.readEndpoint(winnerPath, expect)
	if err != nil {
		return store.Plan{}, err
	}
	loser, err := r.readEndpoint(loserPath, expect)
	if err != nil {
		return store.Plan{}, err
	}
	return supersedePlan(winner, loser, at)
}

// supersedePlan is pure: from the bytes of both files to the plan.
func supersedePlan(winner, loser *endpoint, at time.Time) (store.Plan, error) {
	winnerDoc, err := winner.parse()
	if err != nil {
		return store.Plan{}, err
	}
	loserDoc, err := loser.parse()
	if err != nil {
		return store.Plan{}, err
	}
	archivePath := memory.ArchivePath(loser.path, at.Year())
	from := validFrom(winnerDoc, at)
	loserAfter, err := stampArchived(loser.source, at,
		setMeta("memhtml-valid-until", validUntil(loserDoc, from)),
		setMeta("memhtml-superseded-by", "/"+winner.path))
	if err != nil {
		return store.Plan{}, notEditable(loser.path, err)
	}
	winnerAfter, err := applyEdits(winner.source, winnerEdits(winnerDoc, from, "/"+archivePath)...)
	if err != nil {
		return store.Plan{}, notEditable(winner.path, err)
	}
	return store.Plan{
		Changes: []store.Change{
			{From: winner.path, Path: winner.path, Expect: &winner.hash, After: winnerAfter},
			{From: loser.path, Path: archivePath, Expect: &loser.hash, After: loserAfter},
		},
		Message: store.Message{Subject: memory.Subject("consolidate", winner.path+" supersedes "+loser.path)},
		At:      at,
	}, nil
}

func winnerEdits(doc *memory.Document, from, href string) []edit {
	edits := []edit{func(source []byte) ([]byte, error) { return memory.AddLink(source, "supersedes", href) }}
	if doc.Metas.ValidFrom == "" {
		edits = append(edits, setMeta("memhtml-valid-from", from))
	}
	return edits
}

// validFrom is when the winner's claim began to hold: its own meta, else the
// first event time of its article, else now (M95).
func validFrom(doc *memory.Document, at time.Time) string {
	switch {
	case doc.Metas.ValidFrom != "":
		return doc.Metas.ValidFrom
	case doc.EventAt != "":
		return doc.EventAt
	default:
		return memory.Stamp(at)
	}
}

// validUntil keeps an end the loser had before the winner began, compared as
// strings (M96).
func validUntil(loser *memory.Document, from string) string {
	if own := loser.Metas.ValidUntil; own != "" && own < from {
		return own
	}
	return from
}

// alreadySuperseded reports whether the loser was archived in favour of the
// winner before.
func (r *Root) alreadySuperseded(winner, loser string, err error) (string, bool) {
	archived, ok := r.alreadyArchived(loser, err)
	if !ok {
		return "", false
	}
	source, readErr := r.readFile(archived)
	if readErr != nil {
		return "", false
	}
	return archived, memory.Parse(source).Metas.SupersededBy == "/"+winner
}
