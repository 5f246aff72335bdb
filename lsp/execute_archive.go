package lsp

import (
	"context"
	"fmt"

	"github.com/memhtml-ls/memhtml-ls/session"
)

func runArchive(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if args.uri == "" {
		return outcomeOf{}, missing("uri")
	}
	var by behalf
	if err := args.read("memhtml.archive", &by); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Archive(ctx, session.ArchiveRequest{
		Path: args.uri, Reason: args.reason, SessionID: by.SessionID, PromptID: by.PromptID, Expect: args.expect,
	})
	if err != nil {
		return outcomeOf{}, err
	}
	return outcomeOf{
		kind: "archive.result", data: result,
		message:  told("Archived", result.Path, result.Done),
		warnings: result.Warnings,
		moved:    map[string]string{r.Abs(result.Path): r.Abs(result.ArchivePath)},
		events:   eventsOf(result.Done, eventArchived, result.Path),
	}, nil
}

func runSupersede(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if err := need("winner", args.winner, "loser", args.loser); err != nil {
		return outcomeOf{}, err
	}
	var by behalf
	if err := args.read("memhtml.supersede", &by); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Supersede(ctx, session.SupersedeRequest{
		Winner: args.winner, Loser: args.loser, SessionID: by.SessionID, PromptID: by.PromptID, Expect: args.expect,
	})
	if err != nil {
		return outcomeOf{}, err
	}
	return superseded(r, result), nil
}

func runSupersedeMany(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if len(args.pairs) == 0 {
		return outcomeOf{}, missing("pairs")
	}
	for _, pair := range args.pairs {
		if err := need("winner", pair.Winner, "loser", pair.Loser); err != nil {
			return outcomeOf{}, err
		}
	}
	var by behalf
	if err := args.read("memhtml.supersedeMany", &by); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.SupersedeMany(ctx, session.SupersedeManyRequest{
		Pairs: args.pairs, SessionID: by.SessionID, PromptID: by.PromptID, Expect: args.expect,
	})
	if err != nil {
		return outcomeOf{}, err
	}
	return superseded(r, result), nil
}

// superseded is the outcome of superseding.
func superseded(r *root, result session.SupersedeResult) outcomeOf {
	moved := map[string]string{}
	var losers []string
	for _, pair := range result.Archived {
		moved[r.Abs(pair.Loser)] = r.Abs(pair.ArchivePath)
		if !pair.Already {
			losers = append(losers, pair.Loser)
		}
	}
	what := fmt.Sprintf("%d memories", len(result.Archived))
	if len(result.Archived) == 1 {
		what = result.Archived[0].Loser
	}
	return outcomeOf{
		kind: "supersede.result", data: result,
		message:  told("Superseded", what, result.Done),
		warnings: result.Warnings, moved: moved,
		events: eventsOf(result.Done, eventSuperseded, losers...),
	}
}

func runStatus(ctx context.Context, s *server, r *root, _ located) (outcomeOf, error) {
	status, err := r.Status(ctx)
	status.Work.Published, status.LeftOut = s.published.Load(), int(s.leftOut.Load())
	return outcomeOf{kind: "status.report", data: status}, err
}
