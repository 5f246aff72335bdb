package session

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// draft is a memory that was asked for, rendered and checked, and not placed.
type draft struct {
	request WriteRequest
	at      time.Time
	place   memory.Placement
	source  []byte
	// title and metas are what its head says.
	title string
	metas memory.Metas
	// file is what the corpus would know of it, at the first path it may have.
	file *index.File
	// degraded says that near matches were asked for and cannot be had.
	degraded bool
}

// newDraft judges a request without looking at the corpus. The draft of a
// refused request may still have a file, whose claim can be spoken of.
func newDraft(request WriteRequest, at time.Time) (*draft, error) {
	d := &draft{request: request, at: at, degraded: request.Dedupe == DedupeExactOrNear}
	// Whether that is a path is for check to say.
	d.request.Path, _ = request.askedPath()
	d.place = memory.Placement{
		Path: d.request.Path, Type: request.Type, Workspace: strings.TrimSpace(request.Workspace), Title: request.Title,
		Tags: request.Tags, Entities: request.Entities, At: at,
	}
	checked := request.check()
	source, err := render(request.input(at), request)
	if err == nil {
		doc := memory.Parse(source)
		d.source, d.title, d.metas = source, doc.Title, doc.Metas
		d.file = index.FromDocument(memory.PlacePath(d.place, 1), doc)
		err = gate(append(doc.Violations[:len(doc.Violations):len(doc.Violations)], doc.Dropped...))
	}
	if checked != nil {
		err = checked
	}
	return d, err
}

// check refuses a request that does not say what is wanted.
func (w WriteRequest) check() error {
	markup, claim := !blank(w.ArticleHTML), !blank(w.Claim)
	prose := !blank(w.Prose) || !blank(strings.Join(w.Body, ""))
	switch {
	case blank(w.Title):
		return failure.New(failure.MissingArgument, "a memory needs a title.")
	case blank(w.Type):
		return failure.New(failure.MissingArgument, "a memory needs a type.").
			Suggest("Name one of " + strings.Join(memory.Types(), ", ") + ".")
	case markup && (claim || prose):
		return failure.New(failure.InvalidFlag, "both article markup and text were given.").
			Suggest("Give the article's markup, or the claim and its body.")
	case !markup && !claim && !prose:
		return failure.New(failure.MissingArgument, "a memory needs a claim.").
			Suggest("Give a claim, a body or the article's markup.")
	case w.Type == "arc" && !w.AllowArc:
		return failure.New(failure.InvalidMemory, "an arc is written by a person, at the command line.")
	}
	if _, err := w.askedPath(); err != nil {
		return err
	}
	if err := w.checkNumbers(); err != nil {
		return err
	}
	return w.checkDedupe()
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func (w WriteRequest) checkDedupe() error {
	switch w.Scope {
	case "", ScopeRoot, ScopeWorkspace, ScopeAuthor:
	default:
		return noChoice("scope", string(w.Scope), string(ScopeRoot), string(ScopeWorkspace), string(ScopeAuthor))
	}
	if t := w.NearThreshold; math.IsNaN(t) || t < 0 || t > 1 {
		return failure.New(failure.InvalidFlag, "the near threshold is not a number from 0 to 1.")
	}
	if w.NearCandidates < 0 {
		return failure.New(failure.InvalidFlag, "the number of near candidates is less than 1.")
	}
	switch w.Dedupe {
	case "", DedupeOff, DedupeExact, DedupeExactOrNear:
		return nil
	case DedupeNear:
		return failure.New(failure.ModelUnavailable, "near matches are not looked for yet.").
			Suggest("Use --dedupe exact, or exact-or-near, which goes on without.")
	}
	return noChoice("dedupe", string(w.Dedupe), string(DedupeOff), string(DedupeExact), string(DedupeNear), string(DedupeExactOrNear))
}

// input is what the file is rendered from. A due date is a task's alone, as its
// status is.
func (w WriteRequest) input(at time.Time) memory.Input {
	body, prose, due := w.Body, w.Prose, ""
	if w.Type == "task" {
		due = w.Due
	}
	if blank(w.Claim) && blank(prose) {
		body, prose = nil, strings.Join(body, "\n\n")
	}
	return memory.Input{
		Title: w.Title, Type: w.Type, At: at, ArticleHTML: w.ArticleHTML, Claim: w.Claim, Body: body, Prose: prose,
		Confidence: w.Confidence, Importance: w.Importance, Author: w.Author,
		Session: w.SessionID, Prompt: w.PromptID, Turn: w.TurnUUID, TaskStatus: w.Status, Due: due,
		Entities: w.Entities, Tags: w.Tags, Aliases: w.Aliases,
	}
}

// render writes the file with the two metas that a new file of memhtml has not.
func render(in memory.Input, w WriteRequest) ([]byte, error) {
	source, err := memory.Render(in)
	if err == nil {
		source, err = applyEdits(source, setIfGiven("memhtml-valid-from", w.ValidFrom), setIfGiven("memhtml-valid-until", w.ValidUntil))
	}
	switch {
	case errors.Is(err, memory.ErrNUL):
		return nil, failure.New(failure.InvalidMemory, "a text holds a NUL character.").Wrap(err)
	case errors.Is(err, memory.ErrNotUTF8):
		return nil, failure.New(failure.InvalidMemory, "a text is not UTF-8.").Wrap(err)
	case err != nil:
		return nil, failure.New(failure.InvalidMemory, "the article's markup cannot be written as given.").
			Suggest("Close its elements, and nest them less deep.").Wrap(err)
	case len(source) > memory.MaxSize:
		return nil, failure.New(failure.InvalidMemory, "the memory is larger than 8 MB.")
	}
	return source, nil
}

func setIfGiven(name, value string) edit {
	return func(source []byte) ([]byte, error) {
		if blank(value) {
			return source, nil
		}
		return memory.SetMeta(source, name, strings.TrimSpace(value))
	}
}

// trailers are the provenance that a commit carries (M110).
func (d *draft) trailers() []store.Trailer {
	return provenance(d.request.SessionID, d.request.PromptID)
}
