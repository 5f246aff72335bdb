package session

import (
	"bytes"
	"context"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// The relations that keep two memories side by side (D17).
const (
	relContradicts = "contradicts"
	relLaterally   = "laterally_related"
)

// LinkRequest asks for an authored relation from Source to Target. Rel is
// spelled with '_' or '-', with or without the memhtml- that it has in a file.
type LinkRequest struct {
	Source, Rel, Target string
	// Remove takes the relation away. Its Target need not exist.
	Remove              bool
	SessionID, PromptID string
	Expect              Expectations
}

// LinkResult is the data of "link.result".
type LinkResult struct {
	Done
	Source string `json:"src"`
	Rel    string `json:"rel"`
	Target string `json:"dst"`
	// Added is false when the relation was there and committed before, Removed
	// when it was not there.
	Added   bool `json:"added"`
	Removed bool `json:"removed,omitempty"`
}

// Link adds a relation to the head of Source in one commit, or removes it; what is
// so already is Already, without a commit (M109). Target may be archived, Source may not.
// A session's page need not be a file of the root. Both files are committed as
// they are on disk (D18). Refusals are *failure.Error.
func (r *Root) Link(ctx context.Context, request LinkRequest) (LinkResult, error) {
	result, err := r.linkExclusive(ctx, request)
	if request.Remove {
		return result, named("Not unlinked", err)
	}
	return result, named("Not linked", err)
}

// KeepBoth is Link for two memories that are to stand side by side: with
// contradicts, relates_to or laterally_related. Without a relation it is
// contradicts where the two give one slot two values, else laterally_related
// (D17, D21). The result of contradicts warns that memhtml keeps such memories
// less long.
func (r *Root) KeepBoth(ctx context.Context, request LinkRequest) (LinkResult, error) {
	var err error
	if rel := spellRel(request.Rel); rel == "" {
		request.Rel, err = r.keepingRel(memory.NormalizePath(request.Source), memory.NormalizePath(request.Target))
	} else if rel != relContradicts && rel != "relates_to" && rel != relLaterally {
		err = failure.New(failure.InvalidFlag, "%s does not keep two memories side by side.", diagnostics.Shown(request.Rel)).
			Suggest("Use contradicts, relates_to or laterally_related.")
	}
	var result LinkResult
	if err == nil {
		result, err = r.linkExclusive(ctx, request)
	}
	if err != nil {
		return LinkResult{}, named("Not kept", err)
	}
	if result.Added {
		r.record(request.SessionID, result.At, index.SessionReinforced, result.Target)
	}
	if result.Rel == relContradicts && result.Added {
		result.Warnings = append(result.Warnings, "memhtml lets memories that contradict another fade sooner.")
	}
	return result, nil
}

// keepingRel chooses between contradicts and laterally_related by what the two
// files say.
func (r *Root) keepingRel(source, target string) (string, error) {
	var files [2]*index.File
	for i, path := range []string{source, target} {
		text, err := r.readFile(path)
		if err != nil {
			return "", err
		}
		files[i] = index.NewFile(path, text)
	}
	a, b := files[0], files[1]
	if a.FrameKey != "" && a.FrameKey == b.FrameKey && !a.SameValue(b) {
		return relContradicts, nil
	}
	return relLaterally, nil
}

// spellRel is a relation as the format spells it inside, of one that is written
// as in a file or as people do.
func spellRel(rel string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(rel), "-", "_"), "memhtml_")
}

// unknownRel refuses a relation, which is told as it was given.
func unknownRel(given string) error {
	unknown := failure.New(failure.InvalidFlag, "There is no relation %s.", diagnostics.Shown(given))
	if near := spelling.Nearest(spellRel(given), memory.Rels()); len(near) > 0 {
		unknown.Message += " Nearest is " + near[0] + "."
	}
	return unknown.Suggest("Use one of " + strings.Join(memory.Rels(), ", ") + ".")
}

func (r *Root) linkExclusive(ctx context.Context, request LinkRequest) (result LinkResult, err error) {
	request.Source, request.Target = memory.NormalizePath(request.Source), memory.NormalizePath(request.Target)
	given := request.Rel
	request.Rel = spellRel(given)
	class := memory.ClassOf(request.Rel)
	switch {
	case class == "":
		return result, unknownRel(given)
	case request.Remove:
	case request.Source == request.Target:
		return result, failure.New(failure.RoleConflict, "%s cannot be linked to itself.", diagnostics.Shown(request.Source)).
			Suggest("Name two different memories.")
	}
	err = r.exclusive(ctx, func(commit func(store.Plan) (Done, error)) (err error) {
		if request.Remove {
			result, err = r.unlink(request, commit)
		} else {
			result, err = r.link(ctx, request, class, commit)
		}
		return err
	})
	return result, err
}

// link decides and commits; the caller holds the writer lock.
func (r *Root) link(ctx context.Context, request LinkRequest, class memory.RelClass, commit func(store.Plan) (Done, error)) (LinkResult, error) {
	result := LinkResult{Source: request.Source, Rel: request.Rel, Target: request.Target}
	at := r.now()
	ends, err := r.linkEnds(request, class)
	if err != nil {
		return LinkResult{}, err
	}
	source := ends[0]
	after := source.source
	if !hasLink(memory.Parse(after), request.Rel, request.Target) {
		if after, err = addLink(request.Rel, request.Target)(after); err != nil {
			return LinkResult{}, notEditable(source.path, err)
		}
	}
	changes, err := r.uncommitted(ctx, ends)
	if err != nil {
		return LinkResult{}, err
	}
	if len(changes) > 0 && changes[0].Path == source.path {
		changes = changes[1:]
	} else if bytes.Equal(after, source.source) {
		result.Done = Done{At: memory.Stamp(at), Already: true}
		return result, nil
	}
	changes = append(changes, store.Change{From: source.path, Path: source.path, Expect: &source.hash, After: after})
	subject := memory.Subject("link", request.Rel+" "+request.Source+" -> "+request.Target)
	message := store.Message{Subject: subject, Trailers: provenance(request.SessionID, request.PromptID)}
	result.Done, err = commit(store.Plan{Changes: changes, Message: message, At: at})
	if err != nil {
		return LinkResult{}, err
	}
	r.record(request.SessionID, result.At, index.SessionReinforced, request.Source)
	result.Added = true
	return result, nil
}

// linkEnds reads the files of a link, its source first, and refuses those that
// its class does not go with. A session's page may be anywhere.
func (r *Root) linkEnds(request LinkRequest, class memory.RelClass) ([]*endpoint, error) {
	source, err := r.readEndpoint(request.Source, request.Expect)
	if err != nil {
		return nil, err
	}
	if class == memory.ProvenanceRel {
		if !memory.ValidHref(hrefOf(request.Target)) {
			return nil, failure.New(failure.PathNotFound, "%s is not a path inside the memory root.", diagnostics.Shown(request.Target))
		}
		return []*endpoint{source}, nil
	}
	target, err := r.readTarget(request.Target, request.Expect)
	if err != nil {
		return nil, err
	}
	for _, end := range []*endpoint{source, target} {
		task := memory.Parse(end.source).Metas.Type == "task"
		switch {
		case class == memory.MemoryRel && task:
			return nil, failure.New(failure.InvalidMemory, "%s is a task, and %s is between memories.", diagnostics.Shown(end.path), request.Rel).
				Suggest("Between tasks use blocks or subtask_of.")
		case class == memory.TaskRel && !task:
			return nil, failure.New(failure.InvalidMemory, "%s is no task, and %s is between tasks.", diagnostics.Shown(end.path), request.Rel).
				Suggest("Between memories use a relation such as relates_to.")
		}
	}
	return []*endpoint{source, target}, nil
}

// readTarget reads the file a link points at, which may be archived.
func (r *Root) readTarget(path string, expect Expectations) (*endpoint, error) {
	if !memory.IsMemoryPath(path) {
		return nil, failure.New(failure.PathNotFound, "%s is not the path of a memory.", diagnostics.Shown(path)).
			Suggest("Name an .html file below projects/, areas/, resources/ or archive/.")
	}
	return r.readChecked(path, expect)
}

// uncommitted are edits without a change of content, in the order of ends, for
// those files that are not in the last commit as they are on disk: a file that a
// command names is committed as it is (D18).
func (r *Root) uncommitted(ctx context.Context, ends []*endpoint) ([]store.Change, error) {
	repo, err := r.repository()
	if err != nil {
		return nil, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	var changes []store.Change
	for _, end := range ends {
		blob, ok, err := repo.BlobAt(head.Commit, end.path)
		if err != nil {
			return nil, err
		}
		if !ok || blob.ID != index.BlobOf(end.source) {
			changes = append(changes, store.Change{From: end.path, Path: end.path, Expect: &end.hash, After: end.source})
		}
	}
	return changes, nil
}

// hasLink reports whether a file has a link to a path, however it is written.
func hasLink(doc *memory.Document, rel, path string) bool { return len(linksTo(doc, rel, path)) > 0 }

// linksTo are the links of a relation to a path, however they are written.
func linksTo(doc *memory.Document, rel, path string) (links []memory.Link) {
	for _, link := range doc.Links {
		literal, alternate := link.Target()
		if link.Rel == rel && (literal == path || alternate == path) {
			links = append(links, link)
		}
	}
	return links
}

// hrefOf is the href of a root-relative path. A path that holds what an href
// ends at is written percent-encoded, which readers try second (format.md §2).
func hrefOf(path string) string {
	if strings.ContainsAny(path, "?#") {
		path = strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(path)
	}
	return "/" + path
}

func removeLink(rel, href string) edit {
	return func(source []byte) ([]byte, error) { return memory.RemoveLink(source, rel, href) }
}

func addLink(rel, path string) edit {
	return func(source []byte) ([]byte, error) { return memory.AddLink(source, rel, hrefOf(path)) }
}
