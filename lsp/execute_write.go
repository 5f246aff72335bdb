package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// writeArguments are the flags of memhtml-ls write in camelCase. Beside them,
// uri names any file or folder of the root that is meant, where several are
// open.
type writeArguments struct {
	Title, Type, Claim string
	ArticleHTML        string
	Body               body
	Path               string
	StrictPath         bool
	Workspace          string
	Tag, Entity, Alias texts
	Importance         *int
	Confidence         *float64
	Author             string
	ValidFrom          string
	ValidUntil         string
	Status, Due        string
	SessionID          string
	PromptID           string
	TurnUUID           string
	Dedupe             session.Dedupe
	NearThreshold      float64
	NearCandidates     int
	Scope              session.Scope
}

// body is one text with blank lines between its paragraphs, or a list of
// paragraphs.
type body struct {
	prose      string
	paragraphs []string
}

// UnmarshalJSON implements [json.Unmarshaler].
func (b *body) UnmarshalJSON(value []byte) error {
	if json.Unmarshal(value, &b.prose) == nil {
		return nil
	}
	return json.Unmarshal(value, &b.paragraphs)
}

func (a writeArguments) request() session.WriteRequest {
	return session.WriteRequest{
		Title: a.Title, Type: a.Type, Claim: a.Claim, ArticleHTML: a.ArticleHTML, Body: a.Body.paragraphs, Prose: a.Body.prose,
		Path: a.Path, StrictPath: a.StrictPath, Workspace: a.Workspace, Tags: a.Tag, Entities: a.Entity, Aliases: a.Alias,
		Importance: a.Importance, Confidence: a.Confidence, Author: a.Author, ValidFrom: a.ValidFrom, ValidUntil: a.ValidUntil,
		Status: a.Status, Due: a.Due, SessionID: a.SessionID, PromptID: a.PromptID, TurnUUID: a.TurnUUID,
		Dedupe: a.Dedupe, NearThreshold: a.NearThreshold, NearCandidates: a.NearCandidates, Scope: a.Scope,
	}
}

func runWrite(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	var fields writeArguments
	if err := args.read("memhtml.write", &fields); err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Write(ctx, fields.request())
	if err != nil {
		return outcomeOf{}, err
	}
	out := outcomeOf{kind: "write.result", data: result, warnings: result.Warnings}
	switch {
	case result.Action == session.OutcomeCreated:
		out.message = told("Wrote", result.Path, result.Done)
		out.events = eventsOf(result.Done, eventCreated, result.Path)
	case result.Action == session.OutcomeDeduped:
		out.message = fmt.Sprintf("Nothing to write: %s says it already.", diagnostics.Shown(result.Path))
	default:
		out.message = told("Updated", result.Path, result.Done)
		out.events = eventsOf(result.Done, eventUpdated, result.Path)
	}
	return out, nil
}

// applyArguments are the flags of memhtml-ls apply in camelCase, and the
// operations as the lines of its file have them.
type applyArguments struct {
	Operations           []json.RawMessage
	ContinueOnError      bool
	DetectConflicts      bool
	DetectNearDuplicates bool
	Consolidate          session.Consolidate
	SessionID            string
	PromptID             string
	TurnUUID             string
}

// request judges all operations before anything is done with one.
func (a applyArguments) request() (session.ApplyRequest, error) {
	operations, err := session.DecodeOperationList(a.Operations)
	return session.ApplyRequest{
		Operations: operations, ContinueOnError: a.ContinueOnError,
		DetectConflicts: a.DetectConflicts, DetectNearDuplicates: a.DetectNearDuplicates,
		Consolidate: a.Consolidate, SessionID: a.SessionID, PromptID: a.PromptID, TurnUUID: a.TurnUUID,
	}, err
}

func runApply(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	var fields applyArguments
	if err := args.read("memhtml.apply", &fields); err != nil {
		return outcomeOf{}, err
	}
	request, err := fields.request()
	if err != nil {
		return outcomeOf{}, err
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Apply(ctx, request)
	if err != nil {
		return outcomeOf{}, err
	}
	out := outcomeOf{kind: "apply.result", data: result, events: applied(result)}
	if result.Summary.Failed > 0 {
		out.warnings = append(out.warnings, result.Sentence())
	} else {
		out.message = result.Sentence()
	}
	out.warnings = append(out.warnings, result.Warnings...)
	return out, nil
}

// applied are the events of a batch. A memory that several operations wrote is
// told once, as what the first made of it.
func applied(result session.ApplyResult) []memoryEvent {
	var events []memoryEvent
	told := map[string]bool{}
	for _, one := range result.Results {
		if one.SupersededPath != "" {
			events = append(events, eventsOf(result.Done, eventSuperseded, one.SupersededPath)...)
		}
		if one.Path == "" || told[one.Path] || one.Action == session.OutcomeDeduped || one.Already {
			continue
		}
		told[one.Path] = true
		events = append(events, eventsOf(result.Done, string(one.Action), one.Path)...)
	}
	return events
}
