package session

import (
	"context"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// correctionPath is where a correction of the memory at target goes. A warning
// is a thing to know of a path that was asked for.
func (r *Root) correctionPath(ctx context.Context, request CorrectRequest, d *draft, target, title string) (at, warning string, err error) {
	if d.request.Path != "" {
		return r.askedCorrectionPath(ctx, d, target)
	}
	nth := func(n int) string { return memory.PlacePath(d.place, n) }
	if blank(request.Title) {
		nth = r.beside(target, title).path
	}
	at, err = r.roomFor(ctx, nth, target, d.at)
	return at, "", err
}

// askedCorrectionPath is the path that a correction was asked to be at, which is
// free or target's own.
func (r *Root) askedCorrectionPath(ctx context.Context, d *draft, target string) (at, warning string, err error) {
	// The commit moves target to the archive.
	goes := memory.ArchivePath(target, d.at.Year())
	taken := func(path string) (bool, error) {
		if path == target || path == goes {
			return path == goes, nil
		}
		return r.occupied(ctx, path)
	}
	at = memory.PlacePath(d.place, 1)
	if err = ifFree(at, taken); err == nil {
		warning, err = stuck(at, d.at, taken)
	}
	return at, warning, err
}

// roomFor is the first of numbered paths that is free for a correction of the
// memory at target: nothing is there, and nothing is where it would be archived
// to this year, so that it can be corrected in its turn. What stands at target
// has its number already, so the next number is tried after the first: a fact
// that was corrected a thousand times costs no more than one that never was.
func (r *Root) roomFor(ctx context.Context, nth func(int) string, target string, at time.Time) (string, error) {
	taken := archivable(func(path string) (bool, error) { return r.occupied(ctx, path) }, at)
	if is, err := taken(nth(1)); err != nil || !is {
		return nth(1), err
	}
	from := 2
	if _, n := memory.CutOrdinal(stem(target)); nth(n) == target {
		from = n + 1
	}
	free, _, err := firstFree(nth, from, from+maxOrdinal, taken)
	return free, err
}

// spot is a folder and a name in it that numbered paths are made from. A date in
// front of a name, which episodic memories have, is no part of the slug.
type spot struct{ dir, date, slug string }

func (s spot) path(n int) string {
	return s.dir + "/" + s.date + memory.SlugOrdinal(s.slug, n) + ".html"
}

var datePrefix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{8}-`) })

// spotOf is the folder and the name of a path.
func spotOf(p string) spot {
	name := stem(p)
	date := datePrefix().FindString(name)
	return spot{dir: path.Dir(p), date: date, slug: memory.Slug(name[len(date):])}
}

// stem is the name of a file without its extension.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), ".html") }

// beside is the spot of the memory at a path without its ordinal. A number at
// the end of its name is one if the rest is the slug of its title, or the name of
// a memory that is or was there; else it is part of the name, as that of
// floor-2.html.
func (r *Root) beside(p, title string) spot {
	s := spotOf(p)
	base, n := memory.CutOrdinal(s.slug)
	titled := memory.Slug(title)
	switch {
	case n == 1 || s.slug == titled:
	case s.slug == memory.SlugOrdinal(titled, n):
		s.slug = titled
	default:
		if plain := (spot{s.dir, s.date, base}).path(1); r.wasThere(plain) {
			s.slug = base
		}
	}
	return s
}

// wasThere reports whether a memory is at a path or was archived from it.
func (r *Root) wasThere(path string) bool {
	if _, err := r.files.Lstat(path); err == nil {
		return true
	}
	_, archived := r.archivedForm(path)
	return archived
}
