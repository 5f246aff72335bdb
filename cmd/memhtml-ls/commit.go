package main

import (
	"context"
	"fmt"

	"github.com/memhtml-ls/memhtml-ls/session"
)

// commitCommand completes a subcommand that makes one commit.
func commitCommand(cmd command) command {
	cmd.common, cmd.formats = flagRoot|flagQuiet, []string{"text", "json"}
	return cmd
}

// result is what a command that commits answers with.
type result struct {
	kind string
	data any
	done session.Done
	// lines are said to people, faults too, on standard error. With a fault the
	// answer is no.
	lines, faults []string
}

// line adds what is said to people.
func (r *result) line(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// commit opens the root, lets work make the commit, and answers. work gets the
// paths of the root that the given ones name.
func (c *call) commit(ctx context.Context, paths []string, work func(root *session.Root, paths []string) (result, error)) error {
	root, relative, err := c.openRoot(ctx, paths)
	if err != nil {
		return err
	}
	defer c.closeRoot(root)
	r, err := work(root, relative)
	if err != nil {
		return refusedError{err}
	}
	c.tell(r)
	if len(r.faults) > 0 {
		return answer(statusNo)
	}
	return nil
}

// tell answers in the form that was asked for.
func (c *call) tell(r result) {
	if c.ui.json {
		c.ui.envelope(session.Success(r.kind, r.data))
		return
	}
	for _, line := range r.lines {
		c.ui.say("%s", line)
	}
	for _, fault := range r.faults {
		fmt.Fprintln(c.ui.err, fault)
	}
	c.ui.warnings(r.done)
}
