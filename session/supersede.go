package session

import (
	"context"
	"fmt"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// maxPairs is how many memories one commit supersedes at most.
const maxPairs = 100

// Pair names the memory that says what holds and the one that said what held.
type Pair struct {
	Winner string `json:"winner"`
	Loser  string `json:"loser"`
}

// SupersedeManyRequest asks to archive the loser of every pair in favour of its
// winner.
type SupersedeManyRequest struct {
	Pairs               []Pair
	SessionID, PromptID string
	Expect              Expectations
}

// Supersede archives the loser, hands its validity over to the winner and links
// the two, in one commit (M90-M98). Refusals are *failure.Error.
func (r *Root) Supersede(ctx context.Context, request SupersedeRequest) (SupersedeResult, error) {
	return r.SupersedeMany(ctx, SupersedeManyRequest{
		Pairs:     []Pair{{Winner: request.Winner, Loser: request.Loser}},
		SessionID: request.SessionID, PromptID: request.PromptID, Expect: request.Expect,
	})
}

// SupersedeMany is Supersede for up to 100 pairs in one commit (M94). A winner
// may win several times; no memory may be in both roles or lose twice (M103).
// Pairs that were superseded before are answered as Already; when all were,
// there is no commit. Without pairs there is nothing to do. Refusals are
// *failure.Error.
func (r *Root) SupersedeMany(ctx context.Context, request SupersedeManyRequest) (SupersedeResult, error) {
	var result SupersedeResult
	pairs, err := checkRoles(request.Pairs)
	switch {
	case err != nil:
	case len(pairs) == 0:
		result = SupersedeResult{Done: Done{At: memory.Stamp(r.now())}, Archived: []Superseded{}}
	default:
		err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
			result, err = r.supersede(ctx, pairs, request, commit)
			return err
		})
	}
	return result, named("Not superseded", err)
}

// checkRoles normalises the paths and refuses pairs that cannot all hold.
func checkRoles(asked []Pair) ([]Pair, error) {
	if len(asked) > maxPairs {
		return nil, failure.New(failure.InvalidFlag, "%d pairs are more than one commit takes.", len(asked)).
			Suggest(fmt.Sprintf("Name at most %d pairs at a time.", maxPairs))
	}
	pairs := make([]Pair, len(asked))
	wins, loses := map[string]int{}, map[string]int{}
	for i, pair := range asked {
		pair = Pair{memory.NormalizePath(pair.Winner), memory.NormalizePath(pair.Loser)}
		pairs[i] = pair
		before, twice := loses[pair.Loser]
		if pair.Winner == pair.Loser {
			return nil, roleConflict(pairs, i, i, "%s cannot supersede itself.", pair.Loser)
		}
		if twice {
			return nil, roleConflict(pairs, before, i, "%s is superseded twice.", pair.Loser)
		}
		wins[pair.Winner], loses[pair.Loser] = i, i
	}
	for i, pair := range pairs {
		if won, both := wins[pair.Loser]; both {
			return nil, roleConflict(pairs, i, won, "%s would supersede a memory and be superseded itself.", pair.Loser)
		}
	}
	return pairs, nil
}

// roleConflict refuses pairs because of one path; its data are the pairs that
// do not go together.
func roleConflict(pairs []Pair, i, k int, format, path string) error {
	refused := failure.New(failure.RoleConflict, format, diagnostics.Shown(path)).
		Suggest("Name each memory either as a winner or, once, as a loser.")
	data := []Pair{pairs[i]}
	if k != i {
		data = append(data, pairs[k])
	}
	refused.Data = map[string][]Pair{"pairs": data}
	return refused
}

// supersede decides and commits; the caller holds the writer lock.
func (r *Root) supersede(ctx context.Context, pairs []Pair, request SupersedeManyRequest, commit func(store.Plan) (Done, error)) (SupersedeResult, error) {
	at := r.now()
	h := handover{at: at, heirs: map[string]*heir{}}
	archived := make([]Superseded, len(pairs))
	var made []Superseded
	for i, pair := range pairs {
		archived[i] = Superseded{Loser: pair.Loser, Winner: pair.Winner, ArchivePath: memory.ArchivePath(pair.Loser, at.Year())}
		_, err := r.addPair(&h, pair, request.Expect)
		if form, ok := r.alreadySuperseded(pair.Winner, pair.Loser, err); ok {
			archived[i].ArchivePath, archived[i].Already = form, true
			continue
		}
		if err != nil {
			return SupersedeResult{}, err
		}
		made = append(made, archived[i])
	}
	if len(made) == 0 {
		for i := range archived {
			archived[i].Already = false
		}
		return SupersedeResult{Done: r.alreadyAll(ctx, archived, at), Archived: archived}, nil
	}
	if err := r.checkRest(request.Expect, namedIn(pairs)...); err != nil {
		return SupersedeResult{}, err
	}
	text := made[0].Winner + " supersedes " + made[0].Loser
	if len(made) > 1 {
		text = fmt.Sprintf("%d memories superseded", len(made))
	}
	message := store.Message{Subject: memory.Subject("consolidate", text), Trailers: provenance(request.SessionID, request.PromptID)}
	done, err := commit(store.Plan{Changes: h.changes(), Message: message, At: at})
	if err != nil {
		return SupersedeResult{}, err
	}
	for _, pair := range made {
		r.record(request.SessionID, done.At, index.SessionReinforced, pair.Winner)
		r.record(request.SessionID, done.At, index.SessionCorrected, pair.ArchivePath)
	}
	return SupersedeResult{Done: done, Archived: archived}, nil
}

// namedIn are the paths of pairs.
func namedIn(pairs []Pair) (paths []string) {
	for _, pair := range pairs {
		paths = append(paths, pair.Winner, pair.Loser)
	}
	return paths
}

// addPair reads both files of a pair, each once in a command, plans it and
// returns what the loser says.
func (r *Root) addPair(h *handover, pair Pair, expect Expectations) (*memory.Document, error) {
	loser, err := r.readEndpoint(pair.Loser, expect)
	if err != nil {
		return nil, err
	}
	if h.heirs[pair.Winner] == nil {
		winner, err := r.readEndpoint(pair.Winner, expect)
		if err != nil {
			return nil, err
		}
		if err := h.admit(winner); err != nil {
			return nil, err
		}
	}
	return h.add(h.heirs[pair.Winner], loser)
}

// alreadyAll is the answer when every pair was superseded before: with the
// commit that did it if one did all.
func (r *Root) alreadyAll(ctx context.Context, archived []Superseded, at time.Time) Done {
	done := r.already(ctx, archived[0].Loser, at)
	for _, pair := range archived[1:] {
		if done.Commit == nil {
			break
		}
		if other := r.already(ctx, pair.Loser, at); other.Commit == nil || *other.Commit != *done.Commit {
			done.Commit = nil
		}
	}
	return done
}

// handover plans supersessions from the bytes of the files. It is pure.
type handover struct {
	at    time.Time
	heirs map[string]*heir
	order []*heir
	moves []store.Change
}

// heir is a memory that wins, with the edits of all its wins so far.
type heir struct {
	*endpoint
	doc *memory.Document
	// from is when its claim began to hold.
	from  string
	after []byte
}

// admit takes a winner in.
func (h *handover) admit(winner *endpoint) error {
	doc, err := winner.parse()
	if err != nil {
		return err
	}
	admitted := &heir{endpoint: winner, doc: doc, from: validFrom(doc, h.at), after: winner.source}
	h.heirs[winner.path] = admitted
	h.order = append(h.order, admitted)
	return nil
}

// add plans one pair and returns what the loser says.
func (h *handover) add(winner *heir, loser *endpoint) (*memory.Document, error) {
	doc, err := loser.parse()
	if err != nil {
		return nil, err
	}
	after, err := supersededBy(loser.source, doc, winner.from, winner.path, h.at)
	if err != nil {
		return nil, notEditable(loser.path, err)
	}
	archivePath := memory.ArchivePath(loser.path, h.at.Year())
	h.moves = append(h.moves, store.Change{From: loser.path, Path: archivePath, Expect: &loser.hash, After: after})
	if winner.after, err = supersedes(winner.after, winner.doc, winner.from, archivePath); err != nil {
		return nil, notEditable(winner.path, err)
	}
	return doc, nil
}

func (h *handover) changes() []store.Change {
	var changes []store.Change
	for _, winner := range h.order {
		changes = append(changes, store.Change{From: winner.path, Path: winner.path, Expect: &winner.hash, After: winner.after})
	}
	return append(changes, h.moves...)
}

// supersededBy writes the stamps of a loser (M91, M92, M96).
func supersededBy(source []byte, doc *memory.Document, from, winner string, at time.Time) ([]byte, error) {
	return stampArchived(source, at,
		setMeta("memhtml-valid-until", validUntil(doc, from)),
		setMeta("memhtml-superseded-by", "/"+winner))
}

// supersedes writes what a winner says of one loser (M91, M95). A link to the
// place the loser leaves would lead nowhere, and goes.
func supersedes(source []byte, doc *memory.Document, from, archivePath string) ([]byte, error) {
	left, _ := memory.UnarchivePath(archivePath)
	edits := []edit{removeLink("supersedes", hrefOf(left)), addLink("supersedes", archivePath)}
	if doc.Metas.ValidFrom == "" {
		edits = append(edits, setMeta("memhtml-valid-from", from))
	}
	return applyEdits(source, edits...)
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
