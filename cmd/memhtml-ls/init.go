package main

import (
	"context"
	"flag"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const initAbout = `
Makes DIR, or the working directory, a memory root: the folders, a git
repository if there is none, and one commit. Run again it supplies only what is
missing. A folder inside of another memory root is refused.
`

func initCommand() command {
	return command{
		name: "init", args: "[DIR]", short: "make a folder a memory root", about: initAbout, most: 1,
		common: flagQuiet, formats: []string{"text", "json"},
		setup: func(*flag.FlagSet) action { return initialise },
	}
}

func initialise(ctx context.Context, c *call) error {
	dir := "."
	if len(c.args) > 0 {
		dir = c.args[0]
	}
	result, err := session.Init(ctx, dir, time.Now)
	if err != nil {
		return refusedError{err}
	}
	if c.ui.json {
		c.ui.envelope(session.Success("init.result", result))
		return nil
	}
	if result.Already {
		c.ui.say("%s is a complete memory root already.", diagnostics.Shown(result.Root))
	} else {
		c.ui.say("Made %s a memory root%s.", diagnostics.Shown(result.Root), commitOf(result.Done))
	}
	c.ui.warnings(result.Done)
	return nil
}
