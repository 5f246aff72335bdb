package lsp

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/session"
)

// correctArguments are the flags of memhtml-ls correct in camelCase, beside
// reason. Those of the text are not for memhtml.correctFromEdit.
type correctArguments struct {
	Title, Type, Claim            string
	ArticleHTML                   string
	Body                          body
	Path                          string
	StrictPath                    bool
	Author, ValidFrom, ValidUntil string
	SessionID, PromptID, TurnUUID string
	NoDuplicate                   bool
}

func runCorrect(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	var a correctArguments
	if err := need("target", args.target); err != nil {
		return outcomeOf{}, err
	}
	if err := args.read("memhtml.correct", &a); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Correct(ctx, session.CorrectRequest{
		Target: args.target, Title: a.Title, Type: a.Type, Claim: a.Claim, ArticleHTML: a.ArticleHTML,
		Body: a.Body.paragraphs, Prose: a.Body.prose, Path: a.Path, StrictPath: a.StrictPath, Reason: args.reason,
		Author: a.Author, ValidFrom: a.ValidFrom, ValidUntil: a.ValidUntil,
		SessionID: a.SessionID, PromptID: a.PromptID, TurnUUID: a.TurnUUID, NoDuplicate: a.NoDuplicate, Expect: args.expect,
	})
	if err != nil {
		return outcomeOf{}, err
	}
	return corrected(r, args.target, result), nil
}

func runCorrectFromEdit(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	var a correctArguments
	if err := need("uri", args.uri); err != nil {
		return outcomeOf{}, err
	}
	if err := args.read("memhtml.correctFromEdit", &a); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.CorrectFromEdit(ctx, session.CorrectFromEditRequest{
		Path: args.uri, Reason: args.reason, Author: a.Author,
		SessionID: a.SessionID, PromptID: a.PromptID, TurnUUID: a.TurnUUID, NoDuplicate: a.NoDuplicate, Expect: args.expect,
	})
	if err != nil {
		return outcomeOf{}, err
	}
	return corrected(r, args.uri, result), nil
}

// corrected is the outcome of a correction: who has the target open is shown
// what holds now.
func corrected(r *root, target string, result session.CorrectResult) outcomeOf {
	moved, what := map[string]string{}, target
	if result.Path != target {
		moved[r.Abs(target)] = r.Abs(result.Path)
		what += ": it is now " + result.Path
	}
	return outcomeOf{
		kind: "correct.result", data: result,
		message:  told("Corrected", what, result.Done),
		warnings: result.Warnings, moved: moved,
		events: append(eventsOf(result.Done, eventSuperseded, target), eventsOf(result.Done, eventCreated, result.Path)...),
	}
}
