package main

import (
	"context"
	"flag"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const updateAbout = `
Changes one memory in place, in one commit: what is given is set, everything else
stays. Tags, entities and aliases are added to those that are there, and
--remove-tag and its like take one of them away. An empty --author, --valid-from,
--valid-until or --due is taken away.

  memhtml-ls update areas/ops/pool-size.html --tag pool --importance 8
  memhtml-ls update areas/ops/pool-size.html --claim 'The pool ceiling is 64.' \
    --expect $(sha256sum areas/ops/pool-size.html | cut -d' ' -f1)

With --expect, it is refused when the file's bytes have another SHA-256: somebody
else has changed it since you looked.
`

// updateFlags are the flags of update.
type updateFlags struct {
	title, claim, article *string
	body                  texts
	noTag, noEntity       texts
	noAlias               texts
	author, from, until   *string
	status, due           *string
	by                    behalfFlags
	expect                *string
	noDuplicate           bool
	filingFlags
}

func updateCommand() command {
	return commitCommand(command{
		name: "update", args: "PATH", short: "change one memory in place, in one commit", about: updateAbout, least: 1, most: 1,
		setup: func(flags *flag.FlagSet) action {
			var u updateFlags
			u.register(flags)
			return u.run
		},
	})
}

func (u *updateFlags) register(flags *flag.FlagSet) {
	flags.Var(optional{&u.title}, "title", "its title is `TEXT`")
	flags.Var(optional{&u.claim}, "claim", "its claim is `TEXT`; without --body, what follows the claim stays")
	flags.Var(optional{&u.article}, "article-html", "its article is `HTML`, in place of --claim and --body")
	flags.Var(&u.body, "body", "a paragraph after the claim is `TEXT`; may be repeated, and takes the place of all that follows the claim")
	flags.Var(optional{&u.author}, "author", "`NAME` says so")
	flags.Var(optional{&u.from}, "valid-from", "it holds from `DATE` on")
	flags.Var(optional{&u.until}, "valid-until", "it holds until `DATE`")
	flags.Var(optional{&u.status}, "status", "the `STATUS` of a task: todo, doing, blocked or done")
	flags.Var(optional{&u.due}, "due", "the `DATE` a task is due")
	u.by.register(flags)
	flags.Var(optional{&u.expect}, "expect", "refuse unless the file's bytes have the SHA-256 `HASH`")
	flags.BoolVar(&u.noDuplicate, "no-duplicate", false, "refuse a text that another memory has")
	u.filingFlags.register(flags)
	flags.Var(&u.noTag, "remove-tag", "it no longer has the `TAG`; may be repeated")
	flags.Var(&u.noEntity, "remove-entity", "it is no longer about the entity `NAME`; may be repeated")
	flags.Var(&u.noAlias, "remove-alias", "it is no longer called `NAME`; may be repeated")
}

func (u *updateFlags) request() (session.UpdateRequest, error) {
	request := session.UpdateRequest{
		Title: u.title, Claim: u.claim, ArticleHTML: u.article, Body: u.body,
		Importance: u.importance, Confidence: u.confidence, Author: u.author, ValidFrom: u.from, ValidUntil: u.until,
		SessionID: u.by.session, PromptID: u.by.prompt, Status: u.status, Due: u.due,
		Tags: u.tags, Entities: u.entities, Aliases: u.aliases,
		RemoveTags: u.noTag, RemoveEntities: u.noEntity, RemoveAliases: u.noAlias, NoDuplicate: u.noDuplicate,
	}
	if u.article != nil && (u.claim != nil || len(u.body) > 0) {
		return request, bothArticles()
	}
	if u.expect != nil {
		hash, ok := memory.ParseHash(*u.expect)
		if !ok {
			return request, failure.New(failure.InvalidFlag, "--expect is not a SHA-256.").
				Suggest("It is 64 hexadecimal digits, as sha256sum prints them.")
		}
		request.ExpectHash = &hash
	}
	return request, nil
}

func (u *updateFlags) run(ctx context.Context, c *call) error {
	request, err := u.request()
	if err != nil {
		return err
	}
	return c.commit(ctx, c.args, func(root *session.Root, paths []string) (result, error) {
		request.Path = paths[0]
		did, err := root.Update(ctx, request)
		if err != nil {
			return result{}, err
		}
		r := result{kind: "update.result", data: did, done: did.Done}
		if did.Already {
			r.line("%s has all of it already.", diagnostics.Shown(did.Path))
		} else {
			r.line("Updated %s%s.", diagnostics.Shown(did.Path), commitOf(did.Done))
		}
		return r, nil
	})
}
