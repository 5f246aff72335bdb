package main

import (
	"context"
	"flag"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const linkAbout = `
Writes a relation from SRC to DST into the head of SRC, in one commit. REL is one
of the format's, such as relates_to, contradicts, supports or, between tasks,
blocks; as in the file, memhtml-relates-to, it is the same.

  memhtml-ls link areas/ops/retry.html contradicts areas/ops/backoff.html

A relation that says that two memories contradict each other, or go side by side,
settles a conflict between them: both are kept. With --remove, the relation is
taken away; DST need not be there any more.
`

func linkCommand() command {
	return commitCommand(command{
		name: "link", args: "SRC REL DST", short: "link one memory to another", about: linkAbout, least: 3, most: 3,
		setup: func(flags *flag.FlagSet) action {
			remove := flags.Bool("remove", false, "take the relation away")
			var by behalfFlags
			by.register(flags)
			return func(ctx context.Context, c *call) error { return link(ctx, c, *remove, by) }
		},
	})
}

func link(ctx context.Context, c *call, remove bool, by behalfFlags) error {
	return c.commit(ctx, []string{c.args[0], c.args[2]}, func(root *session.Root, paths []string) (result, error) {
		did, err := root.Link(ctx, session.LinkRequest{
			Source: paths[0], Rel: c.args[1], Target: paths[1], Remove: remove, SessionID: by.session, PromptID: by.prompt,
		})
		if err != nil {
			return result{}, err
		}
		r := result{kind: "link.result", data: did, done: did.Done}
		switch {
		case did.Already && remove:
			r.line("%s does not say: %s %s.", diagnostics.Shown(did.Source), did.Rel, diagnostics.Shown(did.Target))
		case did.Already:
			r.line("%s says already: %s %s.", diagnostics.Shown(did.Source), did.Rel, diagnostics.Shown(did.Target))
		case remove:
			r.line("Unlinked %s from %s%s.", diagnostics.Shown(did.Source), diagnostics.Shown(did.Target), commitOf(did.Done))
		default:
			r.line("Linked %s to %s%s.", diagnostics.Shown(did.Source), diagnostics.Shown(did.Target), commitOf(did.Done))
		}
		return r, nil
	})
}
