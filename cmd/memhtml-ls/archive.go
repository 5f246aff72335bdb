package main

import (
	"context"
	"flag"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const archiveAbout = `
Moves one memory to archive/YEAR/PATH in one commit and stamps it archived. Your
other files, staged or not, stay as they are. Asked again, for the path the memory
had, it answers with the commit that archived it.

  memhtml-ls archive areas/ops/drain.html --reason 'no gateway any more'
`

func archiveCommand() command {
	return command{
		name: "archive", args: "PATH", short: "archive one memory, in one commit", about: archiveAbout,
		least: 1, most: 1, common: flagRoot | flagQuiet, formats: []string{"text", "json"},
		setup: func(flags *flag.FlagSet) action {
			reason := flags.String("reason", "", "why, as `TEXT` for the commit message")
			var by behalfFlags
			by.register(flags)
			return func(ctx context.Context, c *call) error { return archive(ctx, c, *reason, by) }
		},
	}
}

func archive(ctx context.Context, c *call, reason string, by behalfFlags) error {
	root, paths, err := c.openRoot(ctx, c.args)
	if err != nil {
		return err
	}
	defer c.closeRoot(root)
	result, err := root.Archive(ctx, session.ArchiveRequest{
		Path: paths[0], Reason: reason, SessionID: by.session, PromptID: by.prompt,
	})
	if err != nil {
		return refusedError{err}
	}
	if c.ui.json {
		c.ui.envelope(session.Success("archive.result", result))
		return nil
	}
	if result.Already {
		c.ui.say("%s is in the archive already%s.", diagnostics.Shown(result.Path), commitOf(result.Done))
	} else {
		c.ui.say("Archived %s%s.", diagnostics.Shown(result.Path), commitOf(result.Done))
	}
	c.ui.warnings(result.Done)
	return nil
}

// shortCommit is how many digits of a commit people are shown.
const shortCommit = 7

// commitOf is how a result names its commit: nothing when it is not known.
func commitOf(done session.Done) string {
	if done.Commit == nil {
		return ""
	}
	commit := *done.Commit
	return " (memhtml " + commit[:min(shortCommit, len(commit))] + ")"
}

// warnings notes what to know although it is done.
func (u *ui) warnings(done session.Done) {
	for _, warning := range done.Warnings {
		u.note("%s", warning)
	}
}
