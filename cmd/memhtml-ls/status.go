package main

import (
	"context"
	"flag"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const statusAbout = `
Tells what the root holds, which commit the index speaks of, whether it agrees
with the disk, and what keeps commits from being made here, such as a merge that is under way or
a name that git does not know, with what to do about it.
`

func statusCommand() command {
	return command{
		name: "status", short: "tell what the root holds and how fresh the index is", about: statusAbout,
		common: flagRoot, formats: []string{"text", "json"},
		setup: func(*flag.FlagSet) action { return status },
	}
}

func status(ctx context.Context, c *call) error {
	root, _, err := c.openIndexed(ctx, nil)
	if err != nil {
		return err
	}
	defer c.closeRoot(root)
	report, err := root.Status(ctx)
	if err != nil {
		return err
	}
	report.NearDuplicates.Missing = 0 // this process compares nothing
	if c.ui.json {
		c.ui.envelope(session.Success("status.report", report))
		return nil
	}
	writeStatus(c.ui, report)
	return nil
}

func writeStatus(u *ui, report session.Status) {
	rows := [][2]string{{"root", diagnostics.Shown(report.Root)}}
	if report.Head != nil {
		rows = append(rows, [2]string{"commit", *report.Head})
	}
	rows = append(rows,
		[2]string{"memories", countLine(report.Counts)},
		[2]string{"inbox", inboxLine(report.Counts.Inbox)},
		[2]string{"index", freshness(report)})
	near := "duplicates in other words are found by " + string(report.NearDuplicates.Coverage) + " (" + report.NearDuplicates.Embedder + ")"
	if report.NearDuplicates.Coverage == session.Unchecked {
		near = "duplicates in other words are not looked for: " + report.NearDuplicates.Why
	}
	rows = append(rows, [2]string{"near", near})
	if report.Database != "" {
		rows = append(rows, [2]string{"database", report.Database})
	}
	if report.Rebuilt != "" {
		rows = append(rows, [2]string{"rebuilt", report.Rebuilt})
	}
	if report.Commits != "" {
		rows = append(rows, [2]string{"commits", report.Commits})
	}
	if report.CommitsNotice != "" {
		rows = append(rows, [2]string{"commits", report.CommitsNotice})
	}
	u.table(rows)
}

// countLine is what the root holds in one line.
func countLine(counts session.Counts) string {
	line := counted(counts.Files, "file") + ": " + thousands(counts.Eligible) + " active, " +
		counted(counts.Tasks, "task") + ", " + thousands(counts.Archived) + " archived"
	if counts.Refused > 0 {
		line += ", " + thousands(counts.Refused) + " with format errors"
	}
	return line
}

func freshness(report session.Status) string {
	switch {
	case report.Fresh:
		return "agrees with the disk"
	case report.StaleBy > 0:
		return "behind by " + counted(report.StaleBy, "file")
	default:
		return "behind the last commit"
	}
}
