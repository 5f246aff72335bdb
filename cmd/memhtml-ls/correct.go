package main

import (
	"context"
	"flag"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const correctAbout = `
Writes what holds in place of TARGET: a new memory that supersedes it, while
TARGET goes to the archive, in one commit. Type, workspace, tags, entities,
aliases, importance and confidence are TARGET's. Without --title and --path the
correction goes beside TARGET, under its name with the next number; with --title
it goes where a memory of that title goes. --path may name TARGET's own path, but
what stands there cannot be corrected or archived again in the same year.

  memhtml-ls correct areas/ops/pool-size.html --claim 'The pool ceiling is 128.' \
    --reason 'raised on 3 May'

With --from-edit, TARGET itself was edited and saved: the version of the last
commit goes to the archive, and what you wrote becomes a new file beside it.

  memhtml-ls correct areas/ops/pool-size.html --from-edit
`

// correctFlags are the flags of correct.
type correctFlags struct {
	fromEdit, noDuplicate, strictPath bool
	title, kind, path, reason         string
	author, from, until               string
	textFlags
	originFlags
}

func correctCommand() command {
	return commitCommand(command{
		name: "correct", args: "TARGET", short: "put what holds in place of a memory, in one commit", about: correctAbout, least: 1, most: 1,
		setup: func(flags *flag.FlagSet) action {
			var k correctFlags
			k.register(flags)
			return k.run
		},
	})
}

func (k *correctFlags) register(flags *flag.FlagSet) {
	flags.BoolVar(&k.fromEdit, "from-edit", false, "TARGET was edited in place: archive what it was, and take what it is for the correction")
	flags.StringVar(&k.title, "title", "", "the title is `TEXT`, else TARGET's")
	flags.StringVar(&k.kind, "type", "", "the `TYPE`, else TARGET's")
	flags.StringVar(&k.path, "path", "", "the correction is to be at `PATH`, from the root")
	flags.BoolVar(&k.strictPath, "strict-path", false, "take --path as it is: .html is not added")
	flags.StringVar(&k.reason, "reason", "", "why, as `TEXT` for the commit message")
	flags.StringVar(&k.author, "author", "", "`NAME` says so")
	flags.StringVar(&k.from, "valid-from", "", "it holds from `DATE` on")
	flags.StringVar(&k.until, "valid-until", "", "it holds until `DATE`")
	flags.BoolVar(&k.noDuplicate, "no-duplicate", false, "refuse a correction that another memory says already")
	k.textFlags.register(flags)
	k.originFlags.register(flags)
}

// check refuses flags that do not go together.
func (k *correctFlags) check() error {
	if !k.fromEdit {
		return k.demand()
	}
	if k.given() || k.title+k.kind+k.path+k.from+k.until != "" || k.strictPath {
		return failure.New(failure.InvalidFlag, "With --from-edit, the file says what holds: only --reason, --author and where it comes from can be given.")
	}
	return nil
}

func (k *correctFlags) run(ctx context.Context, c *call) error {
	if err := k.check(); err != nil {
		return err
	}
	return c.commit(ctx, c.args, func(root *session.Root, paths []string) (result, error) {
		did, err := k.correct(ctx, root, paths[0])
		if err != nil {
			return result{}, err
		}
		return corrected(paths[0], did), nil
	})
}

func (k *correctFlags) correct(ctx context.Context, root *session.Root, target string) (session.CorrectResult, error) {
	if k.fromEdit {
		return root.CorrectFromEdit(ctx, session.CorrectFromEditRequest{
			Path: target, Reason: k.reason, Author: k.author, NoDuplicate: k.noDuplicate,
			SessionID: k.session, PromptID: k.prompt, TurnUUID: k.turn,
		})
	}
	return root.Correct(ctx, session.CorrectRequest{
		Target: target, Title: k.title, Type: k.kind, Claim: k.claim, ArticleHTML: k.article, Body: k.body,
		Path: k.path, StrictPath: k.strictPath, Reason: k.reason, Author: k.author, ValidFrom: k.from, ValidUntil: k.until,
		SessionID: k.session, PromptID: k.prompt, TurnUUID: k.turn, NoDuplicate: k.noDuplicate,
	})
}

func corrected(target string, did session.CorrectResult) result {
	r := result{kind: "correct.result", data: did, done: did.Done}
	old, path := diagnostics.Shown(target), diagnostics.Shown(did.Path)
	switch {
	case did.Already:
		r.line("%s says so already%s.", path, commitOf(did.Done))
	case target != did.Path:
		r.line("Corrected %s: it is now %s%s.", old, path, commitOf(did.Done))
	default:
		r.line("Corrected %s%s.", old, commitOf(did.Done))
	}
	return r
}
