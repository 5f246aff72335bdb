package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"text/tabwriter"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/calibrate"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const calibrateAbout = `
Measures on pairs of claims that you have labelled how well those are told that
say the same: the verdict by itself, and the embedder of your settings at every
threshold, with the verdict as its guard and without. A file has one pair a line:

  {"a": "The dump takes 90 minutes.", "b": "The dump takes 1.5 hours.", "label": 1, "kind": "format"}

The label is 1 where both say the same, else 0; the kind is yours to choose. The
ranges in brackets hold the true value in 95 of 100 samples of this size.

With --neighbours, looks at the N pairs of memories of a root that are nearest to
each other instead, tells how many of them would be reported at which threshold,
and shows some to read. Pairs that people write down hold few of the kind that a
root is full of, so look at both before you choose a threshold:

  memhtml-ls calibrate --neighbours ~/memhtml 500
`

func calibrateCommand() command {
	return command{
		name: "calibrate", args: "PAIRS… | N", short: "measure what is found to say the same, on labelled pairs", about: calibrateAbout,
		least: 1, most: -1, common: flagQuiet, formats: []string{"text", "json"},
		setup: func(flags *flag.FlagSet) action {
			root := flags.String("neighbours", "", "the N nearest pairs of the memory `ROOT`, in place of PAIRS")
			return func(ctx context.Context, c *call) error {
				if *root != "" {
					c.root = *root
					return measureNeighbours(ctx, c)
				}
				return measurePairs(ctx, c)
			}
		},
	}
}

func measurePairs(ctx context.Context, c *call) error {
	var pairs []calibrate.Pair
	for _, name := range c.args {
		in, err := c.input(name, "the pairs")
		if err != nil {
			return err
		}
		some, err := calibrate.Read(in)
		if err := errors.Join(err, in.Close()); err != nil {
			return inFile(name, err)
		}
		pairs = append(pairs, some...)
	}
	if len(pairs) == 0 {
		return failure.New(failure.MissingArgument, "There are no pairs to measure on.")
	}
	embedder, err := c.embedder()
	if err != nil {
		return err
	}
	report, err := calibrate.Measure(ctx, embedder, pairs)
	if err != nil {
		return err
	}
	if c.ui.json {
		c.ui.envelope(session.Success("calibrate.report", report))
		return nil
	}
	writeCalibration(c.ui, report)
	return nil
}

// inFile says of which file a failure speaks.
func inFile(name string, err error) error {
	var known *failure.Error
	if errors.As(err, &known) {
		known.Message = diagnostics.Shown(name) + ": " + known.Message
	}
	return err
}

// shownStep is which thresholds a person is shown, in rows of the report; JSON has
// all of them.
const shownStep = 5

func writeCalibration(u *ui, report calibrate.Report) {
	u.printf("%s, %d of them the same. Embedder %s, threshold %.2f.\n\n", counted(report.Pairs, "pair"), report.Positives, report.Embedder, report.Threshold)
	table := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "found by\tright\twrong\tmissed\tprecision\trecall")
	writeScore(table, "verdict same", report.Verdict)
	for i, row := range report.Rows {
		name := fmt.Sprintf("cosine %.2f", row.Threshold)
		if row.Guard {
			name += ", verdict not differs"
		}
		if i/2%shownStep == 0 || row.Threshold == report.Threshold {
			writeScore(table, name, row.Score)
		}
	}
	table.Flush()
	u.printf("\n")
	fmt.Fprintln(table, "label\tkind\tpairs\tsame\tdiffers\tapart\tshare the same\tnear and not differs")
	for _, k := range report.Kinds {
		fmt.Fprintf(table, "%d\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", k.Label, diagnostics.Shown(k.Kind), k.Pairs, k.Same, k.Differs, k.Apart, share(k.SameRate), share(k.NearRate))
	}
	table.Flush()
}

func writeScore(table *tabwriter.Writer, name string, s calibrate.Score) {
	fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%s\n", name, s.TP, s.FP, s.FN, share(s.PrecisionRate), share(s.RecallRate))
}

// share is a rate with its bounds; of nothing there is none.
func share(r *calibrate.Rate) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f (%.2f-%.2f)", r.Value, r.Low, r.High)
}
