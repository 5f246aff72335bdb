package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const applyAbout = `
Writes many memories in one commit, from one JSON object a line:

  {"op":"write","type":"semantic","title":"Pool size","claim":"The pool ceiling is 64."}

  memhtml-ls apply --file memories.jsonl
  some-agent | memhtml-ls apply --format json

All lines are judged before anything is done. A memory that is refused refuses
all, unless --continue-on-error is given: then the others are written. The exit
status is 1 either way. A line that is no operation, because it is no JSON object
or has an unknown field, refuses all in any case, with exit status 2.

The flags for session, prompt and turn are for lines that name none. The fields
are those of write, with _ for -:
`

// applyFlags are the flags of apply.
type applyFlags struct {
	file, consolidate                 string
	goOn, detectConflicts, detectNear bool
	by                                originFlags
}

func applyCommand() command {
	return commitCommand(command{
		name: "apply", short: "write many memories, in one commit", about: applyAbout + fieldList(session.OperationFields()),
		setup: func(flags *flag.FlagSet) action {
			var a applyFlags
			flags.StringVar(&a.file, "file", "-", "read the operations from `FILE`, - is standard input")
			flags.BoolVar(&a.goOn, "continue-on-error", false, "write the others when some are refused")
			flags.BoolVar(&a.detectConflicts, "detect-conflicts", false, "tell which memory has the slot of a claim already")
			flags.BoolVar(&a.detectNear, "detect-near-duplicates", false, "tell which memories say nearly the same: not looked for yet, which the answer says")
			flags.Var(&choice{&a.consolidate, []string{"last-wins"}}, "consolidate", "of claims for one slot, write the `WINNER` alone, and archive the memory that had the slot: last-wins")
			a.by.register(flags)
			return a.run
		},
	})
}

func (a *applyFlags) run(ctx context.Context, c *call) error {
	in, err := c.input(a.file, "the operations")
	if err != nil {
		return err
	}
	operations, err := session.DecodeOperations(in)
	if err := errors.Join(err, in.Close()); err != nil {
		return err
	}
	return c.commit(ctx, nil, func(root *session.Root, _ []string) (result, error) {
		applied, err := root.Apply(ctx, session.ApplyRequest{
			Operations: operations, ContinueOnError: a.goOn, DetectConflicts: a.detectConflicts,
			DetectNearDuplicates: a.detectNear, Consolidate: session.Consolidate(a.consolidate), AllowArc: true,
			SessionID: a.by.session, PromptID: a.by.prompt, TurnUUID: a.by.turn,
		})
		if err != nil {
			return result{}, err
		}
		return told(applied, operations), nil
	})
}

// fieldList are names as they stand in a help text.
func fieldList(names []string) string {
	text, column := "", pageWidth
	for _, name := range names {
		if column+len(name)+2 > pageWidth {
			text, column = text+"\n ", 1
		}
		text, column = text+" "+name, column+len(name)+1
	}
	return text[1:] + "\n"
}

// pageWidth is how wide a help text is at most, in columns.
const pageWidth = 80

// told words a batch. Its operations are named by their lines.
func told(applied session.ApplyResult, operations []session.WriteOperation) result {
	r := result{kind: "apply.result", data: applied, done: applied.Done}
	summary := applied.Summary
	none := summary.Failed > 0 && summary.Failed+summary.Skipped == summary.Total
	if !none {
		r.line("%s", applied.Sentence())
	}
	for _, path := range applied.WrittenPaths {
		r.line("  %s", diagnostics.Shown(path))
	}
	for _, one := range applied.Results {
		line := fmt.Sprintf("line %d", operations[one.Index].Line)
		if one.SupersededPath != "" {
			r.line("Superseded: what had the slot is now %s.", diagnostics.Shown(one.SupersededPath))
		}
		if one.Code != "" {
			r.faults = append(r.faults, "Not written: "+line+": "+one.Error)
		}
		if conflict := one.Conflict; conflict != nil {
			r.done.Warnings = append(r.done.Warnings, clashOf(line, *conflict, operations))
		}
	}
	if none && summary.Skipped > 0 {
		r.faults = append(r.faults, "Nothing was written. With --continue-on-error, the others would have been.")
	}
	if applied.NearDuplicatesDegraded {
		r.done.Warnings = append(r.done.Warnings, unlooked)
	}
	return r
}

// clashOf says what has the slot of the claim of one operation.
func clashOf(line string, conflict session.Conflict, operations []session.WriteOperation) string {
	if conflict.Index != nil {
		conflict.Path = fmt.Sprintf("line %d", operations[*conflict.Index].Line)
	}
	return line + ": " + clash(conflict)
}

// input opens what a flag names, "-" for standard input. At a terminal nobody
// is going to type it, so that is refused rather than waited for (M121).
func (c *call) input(name, what string) (io.ReadCloser, error) {
	if name == "-" {
		if c.ui.inTerminal {
			return nil, failure.New(failure.MissingArgument, "There is nothing on standard input to read %s from.", what).
				Suggest("Name a file, or pipe them in.")
		}
		return io.NopCloser(c.ui.in), nil
	}
	file, err := os.Open(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, failure.New(failure.PathNotFound, "There is no file %s.", diagnostics.Shown(name))
	case err != nil:
		return nil, failure.New(failure.PathNotFound, "%s cannot be read.", diagnostics.Shown(name)).Wrap(err)
	}
	return file, nil
}
