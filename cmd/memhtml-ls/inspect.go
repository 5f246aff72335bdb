package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const inspectAbout = `
Shows what the engine sees in one file: its content hash and the canonical text
that is hashed, the claim, the frame key and its value, the metas and links, and
where every element stands. The file need not be in a memory root; of one that is,
the sessions that wrote, corrected or reinforced it are shown too.

With --session-id, shows the memories that the session had to do with instead. That
a session did something stays true when it was undone, and is shown.

  memhtml-ls inspect --session-id s-81
`

func inspectCommand() command {
	return command{
		name: "inspect", args: "[FILE]", short: "show what the engine sees in one file", about: inspectAbout,
		most: 1, common: flagRoot, formats: []string{"text", "json"},
		setup: func(flags *flag.FlagSet) action {
			id := flags.String("session-id", "", "the memories that the session `ID` had to do with, in place of FILE")
			return func(ctx context.Context, c *call) error {
				if *id != "" {
					return inspectSession(ctx, c, *id)
				}
				return inspect(ctx, c)
			}
		},
	}
}

func inspect(ctx context.Context, c *call) error {
	if len(c.args) == 0 {
		return failure.New(failure.MissingArgument, "inspect needs FILE.").
			Suggest("See memhtml-ls inspect --help.")
	}
	name := c.args[0]
	if path, href := fromRoot(name); href && c.root == "" {
		dir, err := c.findRoot(nil)
		if err != nil {
			return err
		}
		c.root, name = dir, path
	}
	text, err := readInspected(c, name)
	if err != nil {
		return err
	}
	report := newInspection(name, memory.Parse(text))
	report.Sessions = c.sessionsOf(ctx, name)
	if c.ui.json {
		c.ui.envelope(session.Success("inspect.report", report))
		return nil
	}
	writeInspection(c.ui, report)
	return nil
}

// readInspected reads the named file. With --root it stays inside the root, as
// everything does there; without, the person may look at any file.
func readInspected(c *call, name string) ([]byte, error) {
	if c.root == "" {
		return readRegular(name, os.Stat, os.Open)
	}
	dir, err := namedRoot(c.root)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, failure.New(failure.PathNotFound, "%s cannot be read.", diagnostics.Shown(dir)).Wrap(err)
	}
	defer root.Close()
	return readRegular(memory.NormalizePath(name), root.Stat, root.Open)
}

func readRegular(name string, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error)) ([]byte, error) {
	shown := diagnostics.Shown(name)
	info, err := stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failure.New(failure.PathNotFound, "%s does not exist.", shown).Wrap(err)
	case err != nil:
		return nil, failure.New(failure.Storage, "%s cannot be read.", shown).Wrap(err)
	case !info.Mode().IsRegular():
		return nil, failure.New(failure.PathNotFound, "%s is not a regular file.", shown)
	case info.Size() > memory.MaxSize:
		return nil, tooLarge(shown)
	}
	file, err := open(name)
	if err != nil {
		return nil, failure.New(failure.Storage, "%s cannot be read.", shown).Suggest("Check its permissions and try again.").Wrap(err)
	}
	defer file.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(io.LimitReader(file, memory.MaxSize+1))
	switch {
	case err != nil:
		return nil, failure.New(failure.Storage, "%s cannot be read.", shown).Wrap(err)
	case text.Len() > memory.MaxSize:
		return nil, tooLarge(shown)
	}
	return text.Bytes(), nil
}

func tooLarge(shown string) error {
	return failure.New(failure.Storage, "%s is larger than 8 MB, which no memory is.", shown)
}
