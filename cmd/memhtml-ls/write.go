package main

import (
	"context"
	"flag"
	"strconv"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const writeAbout = `
Writes one memory, a file of its own, in one commit. What another memory says
already is not written again: the answer names that memory, and is no failure.

  memhtml-ls write --type semantic --title 'Pool size' \
    --claim 'The connection pool ceiling is 64.' --body 'Raised after the outage.'

The claim is --claim, or the first sentence of --body, or the marked text of
--article-html. The place is --path, from the root, or follows from the type, the
workspace, the tags and the title. Whatever it is called there, it is the first
name that nobody had this year; a --path that was archived from this year is
taken, and told: what is there can be neither archived nor corrected before the
next. A --path that git ignores is committed all the same, and told.

With --dedupe exact, a memory that says the same gets the new tags, entities and
other fields instead; its text stays.
`

// writeFlags are the flags of write.
type writeFlags struct {
	title, kind, path, workspace string
	strictPath                   bool
	author, from, until          string
	status, due                  string
	dedupe, scope                string
	near                         float64
	candidates                   int
	textFlags
	filingFlags
	originFlags
}

func writeCommand() command {
	return commitCommand(command{
		name: "write", short: "write one memory, in one commit", about: writeAbout,
		setup: func(flags *flag.FlagSet) action {
			var w writeFlags
			w.register(flags)
			return w.run
		},
	})
}

func (w *writeFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&w.title, "title", "", "its title is `TEXT`")
	flags.StringVar(&w.kind, "type", "", "its `TYPE`, such as semantic, episodic, procedural or task")
	flags.StringVar(&w.path, "path", "", "it is to be at `PATH`, from the root")
	flags.BoolVar(&w.strictPath, "strict-path", false, "take --path as it is: .html is not added")
	flags.StringVar(&w.workspace, "workspace", "", "it belongs to projects/`NAME`")
	flags.StringVar(&w.author, "author", "", "`NAME` says so")
	flags.StringVar(&w.from, "valid-from", "", "it holds from `DATE` on")
	flags.StringVar(&w.until, "valid-until", "", "it holds until `DATE`")
	flags.StringVar(&w.status, "status", "", "the `STATUS` of a task: todo, doing, blocked or done")
	flags.StringVar(&w.due, "due", "", "the `DATE` a task is due")
	w.dedupe, w.scope = string(session.DedupeOff), string(session.ScopeRoot)
	flags.Var(&choice{&w.dedupe, []string{"off", "exact", "near", "exact-or-near"}}, "dedupe", "update a memory that matches, by `HOW`: off, exact, near or exact-or-near. Near matches are not looked for yet: near is refused, exact-or-near is exact")
	flags.Var(&choice{&w.scope, []string{"root", "workspace", "author"}}, "scope", "update only within `SCOPE`: root, workspace or author")
	flags.Var(fraction{&w.near}, "near-threshold", "how similar a near match is, `N` from 0 to 1")
	w.candidates = nearCandidates
	flags.Var(count{&w.candidates}, "near-candidates", "look at the `N` most similar")
	w.textFlags.register(flags)
	w.filingFlags.register(flags)
	w.originFlags.register(flags)
}

// nearCandidates is how many near matches are looked at unless it is said.
const nearCandidates = 8

func (w *writeFlags) request() session.WriteRequest {
	return session.WriteRequest{
		Title: w.title, Type: w.kind, Claim: w.claim, ArticleHTML: w.article, Body: w.body,
		Path: w.path, StrictPath: w.strictPath, Workspace: w.workspace, Tags: w.tags, Entities: w.entities, Aliases: w.aliases,
		Importance: w.importance, Confidence: w.confidence, Author: w.author, ValidFrom: w.from, ValidUntil: w.until,
		Status: w.status, Due: w.due, SessionID: w.session, PromptID: w.prompt, TurnUUID: w.turn,
		Dedupe: session.Dedupe(w.dedupe), NearThreshold: w.near, NearCandidates: w.candidates, Scope: session.Scope(w.scope),
		AllowArc: true,
	}
}

func (w *writeFlags) run(ctx context.Context, c *call) error {
	if err := w.demand(); err != nil {
		return err
	}
	return c.commit(ctx, nil, func(root *session.Root, _ []string) (result, error) {
		written, err := root.Write(ctx, w.request())
		if err != nil {
			return result{}, err
		}
		return wrote(written), nil
	})
}

func wrote(written session.WriteResult) result {
	r := result{kind: "write.result", data: written, done: written.Done}
	path := diagnostics.Shown(written.Path)
	switch {
	case written.Action == session.OutcomeCreated:
		r.line("Wrote %s%s.", path, commitOf(written.Done))
	case written.Action == session.OutcomeDeduped:
		r.line("Nothing to write: %s says it already.", path)
	case written.Already:
		r.line("%s has all of it already.", path)
	default:
		r.line("Updated %s%s.", path, commitOf(written.Done))
	}
	for _, conflict := range written.Conflicts {
		r.done.Warnings = append(r.done.Warnings, clash(conflict))
	}
	if written.NearDuplicatesDegraded {
		r.done.Warnings = append(r.done.Warnings, unlooked)
	}
	return r
}

const unlooked = "Near-duplicates were not looked for: that is not there yet."

// clash says what has the slot of a claim.
func clash(conflict session.Conflict) string {
	if conflict.SameValue {
		return diagnostics.Shown(conflict.Path) + " gives the same value for the same thing."
	}
	return diagnostics.Shown(conflict.Path) + " gives another value for the same thing."
}

// fraction is a flag that takes a number from 0 to 1.
type fraction struct{ value *float64 }

func (fraction) String() string { return "" }

func (f fraction) Set(text string) error {
	n, err := parseFloat(text)
	if err != nil || !(n >= 0 && n <= 1) {
		return failure.New(failure.InvalidFlag, "it takes a number from 0 to 1")
	}
	*f.value = n
	return nil
}

// count is a flag that takes a number from 1 on.
type count struct{ value *int }

func (n count) String() string {
	if n.value == nil {
		return ""
	}
	return strconv.Itoa(*n.value)
}

func (n count) Set(text string) error {
	parsed, err := strconv.Atoi(text)
	if err != nil || parsed < 1 {
		return failure.New(failure.InvalidFlag, "it takes a number from 1")
	}
	*n.value = parsed
	return nil
}
