package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/calibrate"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// measureNeighbours looks at the nearest pairs of a root.
func measureNeighbours(ctx context.Context, c *call) error {
	n, err := strconv.Atoi(c.args[0])
	if err != nil || n < 1 || len(c.args) > 1 {
		return failure.New(failure.InvalidFlag, "--neighbours ROOT is followed by how many pairs are looked at, a number from 1.")
	}
	c.model = true
	root, _, err := c.openIndexed(ctx, nil)
	if err != nil {
		return err
	}
	defer c.closeRoot(root)
	progress := c.ui.progress("comparing")
	report, err := root.Neighbours(ctx, n, progress.update)
	progress.done()
	if err != nil {
		return err
	}
	if c.ui.json {
		c.ui.envelope(session.Success("calibrate.neighbours", report))
		return nil
	}
	writeNeighbours(c.ui, report)
	return nil
}

func writeNeighbours(u *ui, report calibrate.Neighbours) {
	u.printf("%s of %s memories, %d of them reported. Embedder %s, threshold %.2f.\n", counted(report.Pairs, "nearest pair"),
		thousands(report.Memories), report.Reported, report.Embedder, report.Threshold)
	if report.Missing > 0 {
		u.printf("Memories not compared, for want of a vector: %s.\n", thousands(report.Missing))
	}
	u.printf("\n")
	table := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "threshold\tpairs\tsame\tdiffers\tapart\treported")
	for _, row := range report.Rows {
		fmt.Fprintf(table, "%.2f\t%d\t%d\t%d\t%d\t%d\n", row.Threshold, row.Pairs, row.Same, row.Differs, row.Apart, row.Reported)
	}
	table.Flush()
	for _, pair := range report.Sample {
		verdict := pair.Verdict
		if pair.Class != "" {
			verdict += " in " + pair.Class
		}
		u.printf("\n%.3f  %s\n  %s  %s\n  %s  %s\n", pair.Cosine, verdict,
			diagnostics.Shown(pair.A), diagnostics.Shown(pair.ClaimA), diagnostics.Shown(pair.B), diagnostics.Shown(pair.ClaimB))
	}
}
