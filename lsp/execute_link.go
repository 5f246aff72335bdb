package lsp

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// linkArguments are the flags of memhtml-ls link in camelCase.
type linkArguments struct {
	SessionID, PromptID string
	Remove              bool
}

func runLink(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if args.rel == "" {
		return outcomeOf{}, failure.New(failure.MissingArgument, "The argument %q is missing.", "rel").
			Suggest("Pass the name of a relation.")
	}
	var fields linkArguments
	if err := args.read("memhtml.link", &fields); err != nil {
		return outcomeOf{}, err
	}
	if !fields.Remove {
		return link(ctx, s, r, args, "memhtml.link", "Linked", r.Link)
	}
	return link(ctx, s, r, args, "memhtml.link", "Unlinked", func(ctx context.Context, request session.LinkRequest) (session.LinkResult, error) {
		request.Remove = true
		return r.Link(ctx, request)
	})
}

func runKeepBoth(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	return link(ctx, s, r, args, "memhtml.keepBoth", "Kept both and linked", r.KeepBoth)
}

func link(
	ctx context.Context, s *server, r *root, args located, command, verb string,
	run func(context.Context, session.LinkRequest) (session.LinkResult, error),
) (outcomeOf, error) {
	if err := need("uri", args.uri, "target", args.target); err != nil {
		return outcomeOf{}, err
	}
	var by behalf
	if err := args.read(command, &by); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := run(ctx, session.LinkRequest{
		Source: args.uri, Rel: args.rel, Target: args.target, SessionID: by.SessionID, PromptID: by.PromptID, Expect: args.expect,
	})
	if err != nil {
		return outcomeOf{}, err
	}
	event := eventLinked
	if result.Removed {
		event = eventUpdated
	}
	return outcomeOf{
		kind: "link.result", data: result,
		message:  told(verb, result.Source, result.Done),
		warnings: result.Warnings,
		events:   eventsOf(result.Done, event, result.Source),
	}, nil
}

func runMerge(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if err := need("keep", args.keep, "drop", args.drop); err != nil {
		return outcomeOf{}, err
	}
	var by behalf
	if err := args.read("memhtml.merge", &by); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Merge(ctx, session.MergeRequest{
		Keep: args.keep, Drop: args.drop, SessionID: by.SessionID, PromptID: by.PromptID, Expect: args.expect,
	})
	if err != nil {
		return outcomeOf{}, err
	}
	return outcomeOf{
		kind: "merge.result", data: result,
		message:  told("Merged", result.Drop, result.Done),
		warnings: result.Warnings,
		moved:    map[string]string{r.Abs(result.Drop): r.Abs(result.Keep)},
		events:   append(eventsOf(result.Done, eventSuperseded, result.Drop), eventsOf(result.Done, eventUpdated, result.Keep)...),
	}, nil
}
