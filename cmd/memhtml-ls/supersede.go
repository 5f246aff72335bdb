package main

import (
	"context"
	"flag"

	"github.com/memhtml-ls/memhtml-ls/session"
)

const supersedeAbout = `
Says that WINNER holds and LOSER does not any more: LOSER is archived, its
validity ends where WINNER's begins, and the two are linked, in one commit. Your
other files, staged or not, stay as they are.
`

func supersedeCommand() command {
	return command{
		name: "supersede", args: "WINNER LOSER", short: "archive one memory in favour of another", about: supersedeAbout,
		least: 2, most: 2, common: flagRoot | flagQuiet, formats: []string{"text", "json"},
		setup: func(*flag.FlagSet) action { return supersede },
	}
}

func supersede(ctx context.Context, c *call) error {
	root, paths, err := c.openRoot(ctx, c.args)
	if err != nil {
		return err
	}
	defer c.closeRoot(root)
	result, err := root.Supersede(ctx, session.SupersedeRequest{Winner: paths[0], Loser: paths[1]})
	if err != nil {
		return refusedError{err}
	}
	if c.ui.json {
		c.ui.envelope(session.Success("supersede.result", result))
		return nil
	}
	for _, pair := range result.Archived {
		if result.Already {
			c.ui.say("%s is superseded by %s already%s.", session.Shown(pair.Loser), session.Shown(pair.Winner), commitOf(result.Done))
		} else {
			c.ui.say("Superseded %s%s.", session.Shown(pair.Loser), commitOf(result.Done))
		}
	}
	c.ui.warnings(result.Done)
	return nil
}
