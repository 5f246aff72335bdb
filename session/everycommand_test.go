package session

import (
	"context"
	"os"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// repeatable is a command as the test of kills asks for it.
type repeatable struct {
	// prepare makes what the command finds, nil for no more than the files.
	prepare func(f *fixture)
	// run asks for it. What there is nothing left to do for has no commit, or is
	// already.
	run func(ctx context.Context, root *Root) (Done, error)
	// again is how the command refuses once it is done, "" where it answers.
	again failure.Code
}

const edited = "The connection pool ceiling is 65"

var everyCommand = map[string]repeatable{
	"write": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Write(ctx, fact("Kiln", "The kiln fires on Friday"))
		return result.Done, err
	}},
	"apply": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Apply(ctx, ApplyRequest{Consolidate: ConsolidateLastWins, Operations: []WriteOperation{
			{WriteRequest: fact("Kiln", "The kiln fires on Friday")}, {WriteRequest: fact("Pool", edited)},
		}})
		return result.Done, err
	}},
	"correct": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Correct(ctx, CorrectRequest{Target: pool, Claim: edited, Reason: "raised"})
		return result.Done, err
	}},
	"correct to another place": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Correct(ctx, CorrectRequest{Target: pool, Title: "The new ceiling", Claim: edited})
		return result.Done, err
	}},
	"correctFromEdit": {
		prepare: func(f *fixture) { f.write(pool, claim(edited, 1)) },
		run: func(ctx context.Context, root *Root) (Done, error) {
			result, err := root.CorrectFromEdit(ctx, CorrectFromEditRequest{Path: pool})
			return result.Done, err
		},
		again: failure.PathNotFound,
	},
	"supersede": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Supersede(ctx, SupersedeRequest{Winner: other, Loser: pool})
		return result.Done, err
	}},
	"supersedeMany": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.SupersedeMany(ctx, SupersedeManyRequest{Pairs: []Pair{{other, pool}, {other, third}}})
		return result.Done, err
	}},
	"link": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Link(ctx, LinkRequest{Source: pool, Rel: "relates_to", Target: third})
		return result.Done, err
	}},
	"keepBoth": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.KeepBoth(ctx, LinkRequest{Source: pool, Target: other})
		return result.Done, err
	}},
	"merge": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Merge(ctx, MergeRequest{Keep: pool, Drop: other})
		return result.Done, err
	}},
	"update": {run: func(ctx context.Context, root *Root) (Done, error) {
		said := edited
		result, err := root.Update(ctx, UpdateRequest{Path: pool, Claim: &said, Tags: []string{"pool"}})
		return result.Done, err
	}},
	"archive": {run: func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Archive(ctx, ArchiveRequest{Path: pool, Reason: "gone"})
		return result.Done, err
	}},
	"undo over work that was not committed": {
		prepare: func(f *fixture) {
			uncommittedWork(f)
			if _, err := f.alone().Supersede(context.Background(), SupersedeRequest{Winner: handwritten, Loser: pool}); err != nil {
				f.t.Fatal(err)
			}
			f.git("tag", "superseded")
		},
		run: undoSuperseded,
	},
	"undo": {
		prepare: func(f *fixture) {
			if _, err := f.alone().Supersede(context.Background(), SupersedeRequest{Winner: other, Loser: pool}); err != nil {
				f.t.Fatal(err)
			}
			f.git("tag", "superseded")
		},
		run: undoSuperseded,
	},
}

func undoSuperseded(ctx context.Context, root *Root) (Done, error) {
	id, err := os.ReadFile(root.Abs(".git/refs/tags/superseded"))
	if err != nil {
		return Done{}, err
	}
	result, err := root.Undo(ctx, UndoRequest{Commit: strings.TrimSpace(string(id))})
	return result.Done, err
}
