package session

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// CheckRequest narrows a check. The zero value checks the whole root.
type CheckRequest struct {
	// Paths are files or folders, relative to the root. They choose what is
	// reported: a file is judged against the whole root in any case, and has the
	// same findings however it was named.
	Paths []string
	// Codes keeps only findings of these codes.
	Codes []diagnostics.Code
	// Jobs is how many files are looked at in parallel; 0 means all cores.
	Jobs int
	// Progress is told now and then how many of how many files are done; it may
	// be called from any goroutine.
	Progress func(done, total int)
}

// CheckResult is what a check found: the reports that have findings, by path,
// and how many files were looked at, memories where none belong among them.
type CheckResult struct {
	View  *View
	Files int
	// Excluded is how many more there are that the settings exclude.
	Excluded int
	// NotCompared is how many of the files are kept out of relations by a
	// format error: nobody knows whether they say what others say (G6).
	NotCompared int
	Reports     []Report
}

// Check computes the findings of many files of one View, on all cores. Only
// files that may have a finding are read.
func (r *Root) Check(ctx context.Context, request CheckRequest) (CheckResult, error) {
	view := r.View()
	selected, err := view.selected(request.Paths)
	if err != nil {
		return CheckResult{}, err
	}
	files := selected.inOrder()
	all := len(files)
	files = slices.DeleteFunc(files, func(file *index.File) bool { return view.chosen.excluded(file.Path) })
	// Meanwhile, as it mostly waits for the disk.
	var strays []Report
	var walk errgroup.Group
	walk.Go(func() (err error) {
		strays, err = view.strays(ctx, selected)
		return err
	})
	defer func() { _ = walk.Wait() }()
	reports := make([]Report, len(files))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(min(cmp.Or(request.Jobs, math.MaxInt), runtime.GOMAXPROCS(0)))
	var done atomic.Int64
	for i, file := range files {
		if groupCtx.Err() != nil {
			break
		}
		if n := done.Add(1); n%256 == 0 && request.Progress != nil {
			request.Progress(int(n), len(files))
		}
		if view.Quiet(file) {
			continue
		}
		group.Go(func() (err error) {
			reports[i], err = view.Report(file.Path)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return CheckResult{}, err
	}
	if err := ctx.Err(); err != nil {
		return CheckResult{}, failure.New(failure.Cancelled, "The check was cancelled.").Wrap(err)
	}
	if err := walk.Wait(); err != nil {
		return CheckResult{}, failure.New(failure.Cancelled, "The check was cancelled.").Wrap(err)
	}
	return CheckResult{
		View: view, Files: len(files) + len(strays), Excluded: all - len(files) + selected.excluded, NotCompared: notCompared(files),
		Reports: interleave(keep(reports, request.Codes), keep(strays, request.Codes)),
	}, nil
}

func notCompared(files []*index.File) int {
	n := 0
	for _, file := range files {
		if !file.Accepted && !file.Archived() {
			n++
		}
	}
	return n
}

// keep drops reports without findings, and findings of other codes.
func keep(reports []Report, codes []diagnostics.Code) []Report {
	kept := reports[:0]
	for _, report := range reports {
		if len(codes) > 0 {
			report.Findings = slices.DeleteFunc(report.Findings, func(finding diagnostics.Finding) bool {
				return !slices.Contains(codes, finding.Code)
			})
		}
		if len(report.Findings) > 0 {
			kept = append(kept, report)
		}
	}
	return kept
}
