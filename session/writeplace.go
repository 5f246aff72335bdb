package session

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// askedPath is where a memory is to be, "" when that is left open. A name without
// an extension gets .html, unless the path is to be taken as it is.
func (w WriteRequest) askedPath() (string, error) {
	if blank(w.Path) && !w.StrictPath {
		return "", nil
	}
	asked := memory.NormalizePath(w.Path)
	if !w.StrictPath && path.Ext(asked) == "" && !strings.HasSuffix(w.Path, "/") {
		asked += ".html"
	}
	if !memory.IsMemoryPath(asked) || memory.IsArchived(asked) {
		return "", failure.New(failure.InvalidFlag, "%s is not a path that a memory can have.", diagnostics.Shown(w.Path)).
			Suggest("Name an .html file below projects/, areas/ or resources/.")
	}
	return asked, nil
}

// freePath is where a draft goes: the path that was asked for, which must be
// free, or the first one of its place that is free and whose place in the archive
// of the year is, too: else the memory could be neither archived nor corrected
// before the next year.
func (b *batch) freePath(ctx context.Context, d *draft) (string, error) {
	first := memory.PlacePath(d.place, 1)
	taken := func(path string) (bool, error) { return b.taken(ctx, path) }
	if d.request.Path != "" {
		return first, ifFree(first, taken)
	}
	nth := func(n int) string { return memory.PlacePath(d.place, n) }
	path, n, err := firstFree(nth, max(b.next[first], 1), maxOrdinal, archivable(taken, b.at))
	b.next[first] = n + 1
	return path, err
}

// archivable also takes a path for taken whose place in the archive of the year
// is.
func archivable(taken func(string) (bool, error), at time.Time) func(string) (bool, error) {
	return func(path string) (bool, error) {
		if is, err := taken(path); is || err != nil {
			return is, err
		}
		return taken(memory.ArchivePath(path, at.Year()))
	}
}

// stuck says that what was asked to be at a path has no place in the archive of
// the year, "" when it has.
func stuck(path string, at time.Time, taken func(string) (bool, error)) (string, error) {
	archived := memory.ArchivePath(path, at.Year())
	if is, err := taken(archived); err != nil || !is {
		return "", err
	}
	return fmt.Sprintf("%s can be neither archived nor corrected before %d: %s is taken.",
		diagnostics.Shown(path), at.Year()+1, diagnostics.Shown(archived)), nil
}

// ignored warns of those paths that git is told to ignore. What was asked to be
// there is committed all the same, and tracked from then on: who shares the
// repository shares it.
func (r *Root) ignored(ctx context.Context, asked ...string) []string {
	repo, err := r.repository()
	if err != nil {
		return nil
	}
	paths, err := repo.Ignored(ctx, asked...)
	if err != nil {
		r.log.Warn("ask git what it ignores", "err", err)
	}
	if len(paths) == 0 {
		return nil
	}
	return []string{"This commit has files that git is told to ignore: " + someOf(paths) + "."}
}
