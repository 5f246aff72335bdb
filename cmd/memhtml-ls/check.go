package main

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const checkAbout = `
Shows every finding of a memory root: what is wrong with a file, which memories
say the same, also in other words, which contradict each other, which files lie
where none belongs.
With PATHs, files or folders, only theirs, still judged against the whole root:
what is told of a file is the same in every form. Nothing is changed.

The exit status is 1 when there is a finding at or above --fail-on. The index
that was built is kept for the next start.
`

func checkCommand() command {
	return command{
		name: "check", args: "[PATH…]", short: "show every finding", about: checkAbout, most: -1,
		common: flagRoot | flagQuiet, formats: []string{"text", "json", "sarif", "github"},
		setup: func(flags *flag.FlagSet) action {
			options := &checkOptions{failOn: "warning"}
			flags.Var(&choice{&options.failOn, []string{"error", "warning", "information", "hint", "never"}}, "fail-on",
				"the mildest `severity` that makes the exit status 1, or never")
			flags.Var((*codeList)(&options.codes), "code", "show this `CODE` only; may be repeated")
			flags.Var((*jobCount)(&options.jobs), "jobs", "use at most `N` processors")
			return options.run
		},
	}
}

// checkOptions are the flags of check.
type checkOptions struct {
	failOn string
	codes  []diagnostics.Code
	jobs   int
}

func (o *checkOptions) run(ctx context.Context, c *call) error {
	if o.jobs > 0 {
		// More than there are would cost a stack each and gain nothing.
		runtime.GOMAXPROCS(min(o.jobs, runtime.NumCPU()))
	}
	root, paths, err := c.openIndexed(ctx, c.args)
	if err != nil {
		return err
	}
	defer c.closeRoot(root)
	result, err := o.check(ctx, c, root, paths)
	if err != nil {
		return err
	}
	report := newCheckReport(root, result)
	if o.looksForNear() {
		near := result.View.Near()
		report.NearDuplicates = &nearReport{near, near.Coverage == session.Unchecked}
		if near.Coverage == session.Unchecked {
			c.ui.note("Near-duplicates were not looked for. %s", near.Why)
		}
	}
	report.whole = len(paths) == 0 || slices.Contains(paths, ".")
	for _, code := range o.codes {
		report.codes = append(report.codes, string(code))
	}
	checkWriters[c.format](c.ui, report)
	if report.Excluded > 0 && (c.format == "sarif" || c.format == "github") {
		// These formats have no place for what was not looked at.
		c.ui.note("The settings exclude %s.", counted(report.Excluded, "file"))
	}
	if report.failsOn(o.failOn) {
		return answer(statusNo)
	}
	return nil
}

// checkAttempts is how often a check begins anew because files change under it.
const checkAttempts = 3

func (o *checkOptions) check(ctx context.Context, c *call, root *session.Root, paths []string) (session.CheckResult, error) {
	for range checkAttempts {
		if o.looksForNear() {
			comparing := c.ui.progress("comparing")
			err := root.CompareClaims(ctx, o.jobs, comparing.update)
			comparing.done()
			if err != nil {
				return session.CheckResult{}, err
			}
		}
		progress := c.ui.progress("checking")
		result, err := root.Check(ctx, session.CheckRequest{
			Paths: paths, Codes: o.codes, Jobs: o.jobs, Progress: progress.update,
		})
		progress.done()
		if !errors.Is(err, session.ErrMoved) {
			return result, err
		}
		if _, err := root.Poll(ctx); err != nil {
			return session.CheckResult{}, err
		}
	}
	return session.CheckResult{}, failure.New(failure.IndexStale, "Files change faster than they can be checked.").
		Suggest("Try again when nothing writes to the root.")
}

// looksForNear reports whether the codes that are looked for need a comparison of
// all claims.
func (o *checkOptions) looksForNear() bool {
	return len(o.codes) == 0 || slices.ContainsFunc(o.codes, diagnostics.IsNear)
}

// checkWriters are the formats of a report.
var checkWriters = map[string]func(*ui, *checkReport){
	"text":   writeCheckText,
	"json":   writeCheckJSON,
	"sarif":  writeSARIF,
	"github": writeGitHub,
}

// codeList is a repeatable flag of diagnostic codes.
type codeList []diagnostics.Code

func (l *codeList) String() string { return "" }

func (l *codeList) Set(word string) error {
	if _, ok := diagnostics.Lookup(diagnostics.Code(word)); !ok {
		return failure.New(failure.InvalidFlag, "there is no such code, see memhtml-ls explain --all")
	}
	*l = append(*l, diagnostics.Code(word))
	return nil
}
