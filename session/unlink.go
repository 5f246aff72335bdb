package session

import (
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// unlink decides and commits; the caller holds the writer lock. The target is
// not looked at: a link that leads nowhere is one to be removed.
func (r *Root) unlink(request LinkRequest, commit func(store.Plan) (Done, error)) (LinkResult, error) {
	result := LinkResult{Source: request.Source, Rel: request.Rel, Target: request.Target}
	at := r.now()
	source, err := r.readEndpoint(request.Source, request.Expect)
	if err != nil {
		return LinkResult{}, err
	}
	if err := r.checkRest(request.Expect, request.Source); err != nil {
		return LinkResult{}, err
	}
	var edits []edit
	for _, link := range linksTo(memory.Parse(source.source), request.Rel, request.Target) {
		edits = append(edits, removeLink(link.Rel, link.Href))
	}
	if len(edits) == 0 {
		result.Done = Done{At: memory.Stamp(at), Already: true}
		return result, nil
	}
	after, err := applyEdits(source.source, edits...)
	if err != nil {
		return LinkResult{}, notEditable(source.path, err)
	}
	result.Done, err = commit(store.Plan{
		Changes: []store.Change{{From: source.path, Path: source.path, Expect: &source.hash, After: after}},
		Message: store.Message{
			Subject:  memory.Subject("link", "remove "+request.Rel+" "+request.Source+" -> "+request.Target),
			Trailers: provenance(request.SessionID, request.PromptID),
		}, At: at,
	})
	if err != nil {
		return LinkResult{}, err
	}
	r.record(request.SessionID, result.At, index.SessionReinforced, request.Source)
	result.Removed = true
	return result, nil
}
