package main

import (
	"context"
	"flag"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const rebuildAbout = `
Reads every file of the root again and writes the index anew. It is never needed
for the findings to be right; it helps when the index file is suspected.
`

func rebuildCommand() command {
	return command{
		name: "rebuild", short: "read every file again and write the index anew", about: rebuildAbout,
		common: flagRoot | flagQuiet, formats: []string{"text", "json"},
		setup: func(*flag.FlagSet) action { return rebuild },
	}
}

// rebuildReport is the data of "rebuild.result".
type rebuildReport struct {
	Root       string         `json:"root"`
	Head       *string        `json:"head"`
	Counts     session.Counts `json:"counts"`
	DurationMs int64          `json:"durationMs"`
}

func rebuild(ctx context.Context, c *call) error {
	root, _, err := c.openRoot(ctx, nil)
	if err != nil {
		return err
	}
	defer c.closeRoot(root)
	start := time.Now()
	progress := c.ui.progress("reading")
	err = root.Rebuild(ctx, progress.update)
	progress.done()
	if err == nil {
		err = root.Flush(ctx)
	}
	if err != nil {
		return err
	}
	report := rebuildReport{Root: root.Dir(), Counts: root.View().Counts(), DurationMs: time.Since(start).Milliseconds()}
	if head := root.Head().Commit; head != "" {
		report.Head = &head
	}
	if c.ui.json {
		c.ui.envelope(session.Success("rebuild.result", report))
		return nil
	}
	c.ui.say("Rebuilt the index of %s: %s.", diagnostics.Shown(report.Root), countLine(report.Counts))
	return nil
}
