package lsp

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/session"
)

// updateArguments are the flags of memhtml-ls update in camelCase. A field that
// is absent or null leaves alone what is there.
type updateArguments struct {
	Title, Claim, ArticleHTML *string
	Body                      *body
	Importance                *int
	Confidence                *float64
	Author                    *string
	ValidFrom, ValidUntil     *string
	SessionID, PromptID       string
	Status, Due               *string
	Tag, Entity, Alias        texts
	RemoveTag, RemoveEntity   texts
	RemoveAlias               texts
	NoDuplicate               bool
}

func runUpdate(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if args.uri == "" {
		return outcomeOf{}, missing("uri")
	}
	var fields updateArguments
	if err := args.read("memhtml.update", &fields); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Update(ctx, fields.request(args))
	if err != nil {
		return outcomeOf{}, err
	}
	return outcomeOf{
		kind: "update.result", data: result,
		message:  told("Updated", result.Path, result.Done),
		warnings: result.Warnings,
		events:   eventsOf(result.Done, eventUpdated, result.Path),
	}, nil
}

func (a updateArguments) request(args located) session.UpdateRequest {
	request := session.UpdateRequest{
		Path: args.uri, Title: a.Title, Claim: a.Claim, ArticleHTML: a.ArticleHTML,
		Importance: a.Importance, Confidence: a.Confidence, Author: a.Author, ValidFrom: a.ValidFrom, ValidUntil: a.ValidUntil,
		SessionID: a.SessionID, PromptID: a.PromptID, Status: a.Status, Due: a.Due,
		Tags: a.Tag, Entities: a.Entity, Aliases: a.Alias, NoDuplicate: a.NoDuplicate,
		RemoveTags: a.RemoveTag, RemoveEntities: a.RemoveEntity, RemoveAliases: a.RemoveAlias, Expect: args.expect,
	}
	switch {
	case a.Body == nil:
	case a.Body.paragraphs != nil:
		request.Body = a.Body.paragraphs
	default:
		request.Prose = &a.Body.prose
	}
	return request
}
