package lsp

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/session"
)

func runArchive(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if args.uri == "" {
		return outcomeOf{}, missing("uri")
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Archive(ctx, session.ArchiveRequest{Path: args.uri, Reason: args.reason, Expect: args.expect})
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
	if args.winner == "" {
		return outcomeOf{}, missing("winner")
	}
	if args.loser == "" {
		return outcomeOf{}, missing("loser")
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Supersede(ctx, session.SupersedeRequest{Winner: args.winner, Loser: args.loser, Expect: args.expect})
	if err != nil {
		return outcomeOf{}, err
	}
	moved := map[string]string{}
	var losers []string
	for _, pair := range result.Archived {
		moved[r.Abs(pair.Loser)] = r.Abs(pair.ArchivePath)
		losers = append(losers, pair.Loser)
	}
	return outcomeOf{
		kind: "supersede.result", data: result,
		message:  told("Superseded", args.loser, result.Done),
		warnings: result.Warnings, moved: moved,
		events: eventsOf(result.Done, eventSuperseded, losers...),
	}, nil
}

func runStatus(ctx context.Context, _ *server, r *root, _ located) (outcomeOf, error) {
	status, err := r.Status(ctx)
	return outcomeOf{kind: "status.report", data: status}, err
}
