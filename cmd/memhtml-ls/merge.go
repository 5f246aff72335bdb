package main

import (
	"context"
	"flag"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const mergeAbout = `
Gives the tags, entities and aliases of DROP to KEEP, and archives DROP as
superseded by KEEP, in one commit. Both texts stay as they are.

  memhtml-ls merge areas/ops/drain.html areas/deploy/drain.html
`

func mergeCommand() command {
	return commitCommand(command{
		name: "merge", args: "KEEP DROP", short: "fold one memory into another that says the same", about: mergeAbout, least: 2, most: 2,
		setup: func(flags *flag.FlagSet) action {
			var by behalfFlags
			by.register(flags)
			return func(ctx context.Context, c *call) error { return merge(ctx, c, by) }
		},
	})
}

func merge(ctx context.Context, c *call, by behalfFlags) error {
	return c.commit(ctx, c.args, func(root *session.Root, paths []string) (result, error) {
		did, err := root.Merge(ctx, session.MergeRequest{
			Keep: paths[0], Drop: paths[1], SessionID: by.session, PromptID: by.prompt,
		})
		if err != nil {
			return result{}, err
		}
		r := result{kind: "merge.result", data: did, done: did.Done}
		keep, drop := diagnostics.Shown(did.Keep), diagnostics.Shown(did.Drop)
		if did.Already {
			r.line("%s is merged into %s already%s.", drop, keep, commitOf(did.Done))
		} else {
			r.line("Merged %s into %s%s.", drop, keep, commitOf(did.Done))
		}
		return r, nil
	})
}
