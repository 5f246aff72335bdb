package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// memo is an accepted memory with a claim.
func memo(claim string) string {
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>t</title>
<meta name="memhtml-type" content="semantic"><meta name="memhtml-status" content="active">
<meta name="memhtml-created" content="2026-01-01"><meta name="memhtml-updated" content="2026-01-01">
</head><body><article><p><mark>` + claim + `</mark></p></article></body></html>
`
}

// longAgo is a time at which nothing is racy.
var longAgo = time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)

func write(t interface {
	Helper()
	Fatal(...any)
}, dir, path, text string,
) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(path))
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o644)
	}
	if err == nil {
		err = os.Chtimes(name, longAgo, longAgo)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func scanned(t *testing.T, dir string, known []Row) Scanned {
	t.Helper()
	s, err := Scan(t.Context(), dir, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// unread is what a scan found: for each path why it was not read, "" if it was.
func unread(rows []Row) map[string]string {
	out := map[string]string{}
	for _, r := range rows {
		out[r.File.Path] = r.File.Unread
	}
	return out
}

func TestScanFindsMemoriesAndNothingElse(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, path := range []string{
		"areas/a.html", "areas/x.html/b.html", "areas/with space/%41?#é.html", "areas/e\u0301.html", "areas/é.html", "areas/.hidden.html",
		"archive/2026/areas/a.html", "projects/a/b/c/d.html", "resources/people/p.html",
		"areas/team/areas/a.html", "areas/team/.memhtml/x", "areas/team.html",
		"areas/index.html", "areas/a.HTML", "areas/a.txt", "README.html", ".git/areas/a.html", "areas/.git/a.html", "other/a.html",
	} {
		write(t, dir, path, memo("x"))
	}
	write(t, outside, "secret.html", memo("secret"))
	must(t, os.Symlink(filepath.Join(outside, "secret.html"), filepath.Join(dir, "areas/out.html")))
	must(t, os.Symlink("a.html", filepath.Join(dir, "areas/in.html")))
	must(t, os.Symlink(outside, filepath.Join(dir, "areas/outside")))
	must(t, os.Symlink("../projects", filepath.Join(dir, "areas/inside")))
	must(t, os.Symlink("someone@host", filepath.Join(dir, "areas/.#a.html")))
	must(t, os.Symlink("a.txt", filepath.Join(dir, "areas/text")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "areas/pipe.html"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "areas/big.html"), make([]byte, memory.MaxSize+1), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "areas/full.html"), make([]byte, memory.MaxSize), 0o644))

	want := map[string]string{
		"areas/a.html": "", "areas/x.html/b.html": "", "areas/with space/%41?#é.html": "", "areas/e\u0301.html": "", "areas/é.html": "",
		"areas/team.html": "", "areas/.hidden.html": "", "archive/2026/areas/a.html": "", "projects/a/b/c/d.html": "", "resources/people/p.html": "",
		"areas/out.html": unreadNotRegular, "areas/in.html": unreadNotRegular, "areas/outside": unreadNotRegular,
		"areas/inside": unreadNotRegular, "areas/pipe.html": unreadNotRegular,
		"areas/big.html": unreadTooLarge, "areas/full.html": "",
	}
	got := scanned(t, dir, nil)
	if diff := cmp.Diff(want, unread(got.Rows)); diff != "" {
		t.Errorf("scan (-want +got):\n%s", diff)
	}
	again := scanned(t, dir, got.Rows)
	if diff := cmp.Diff(got.Rows, again.Rows, cmpopts.IgnoreFields(Stat{}, "Seen")); diff != "" {
		t.Errorf("a second scan (-first +second):\n%s", diff)
	}

	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	for path, why := range want {
		if r, ok := Read(root, path, nil); !ok || r.File.Unread != why {
			t.Errorf("Read(%q) = %v, %v; a scan says %q", path, r.File, ok, why)
		}
	}
	for _, path := range []string{
		"areas/none.html", "areas/index.html", "areas/x.html", "areas/outside/secret.html", "areas/inside/a/b/c/d.html", "areas/.git/a.html",
		"other/a.html", "areas/../areas/a.html", "../" + filepath.Base(outside) + "/secret.html", "/areas/a.html", "areas", "", "areas/.#a.html",
	} {
		if r, ok := Read(root, path, nil); ok {
			t.Errorf("Read(%q) = %v; a scan has no row for it", path, r.File)
		}
	}
}

func TestLinkedBucketIsNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, "a.html", memo("x"))
	write(t, dir, "projects", "a file where a folder could be")
	must(t, os.Symlink(outside, filepath.Join(dir, "areas")))
	if diff := cmp.Diff(map[string]string{"areas": unreadNotRegular}, unread(scanned(t, dir, nil).Rows)); diff != "" {
		t.Errorf("scan (-want +got):\n%s", diff)
	}
}

func TestScanReadsOnlyWhatMoved(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"same", "edited", "touched", "gone", "racy"} {
		write(t, dir, "areas/"+name+".html", memo(name))
	}
	now := time.Now()
	must(t, os.Chtimes(filepath.Join(dir, "areas/racy.html"), now, now))
	first := scanned(t, dir, nil)
	known := first.Rows
	for i := range known {
		known[i].File = known[i].File.With(true, i == 0, 0)
	}

	write(t, dir, "areas/edited.html", memo("change")) // same length, same time: the change time tells
	write(t, dir, "areas/new.html", memo("new"))
	later := longAgo.Add(time.Hour)
	must(t, os.Chtimes(filepath.Join(dir, "areas/touched.html"), later, later))
	must(t, os.Remove(filepath.Join(dir, "areas/gone.html")))
	reads := countReads(t)
	got := scanned(t, dir, known)

	want := map[string]int{"areas/edited.html": 1, "areas/new.html": 1, "areas/touched.html": 1, "areas/racy.html": 1}
	if diff := cmp.Diff(want, reads()); diff != "" {
		t.Errorf("files read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"areas/gone.html"}, got.Removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	var moved []string
	for _, r := range got.Moved {
		moved = append(moved, r.File.Path)
	}
	if diff := cmp.Diff([]string{"areas/edited.html", "areas/new.html", "areas/racy.html", "areas/touched.html"}, moved); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
	byPath := map[string]*File{}
	for _, r := range known {
		byPath[r.File.Path] = r.File
	}
	for _, r := range got.Rows {
		before := byPath[r.File.Path]
		switch r.File.Path {
		case "areas/new.html":
			if r.File.Tracked {
				t.Error("a new file is tracked")
			}
		case "areas/edited.html":
			if r.File.Gist != "change" || r.File.Tracked != before.Tracked || r.File.Unmerged != before.Unmerged {
				t.Errorf("edited file is %+v", r.File)
			}
		default:
			if r.File != before {
				t.Errorf("%s has the same bytes and was made anew", r.File.Path)
			}
		}
	}
}

// countReads counts the files that are read from here on.
func countReads(t *testing.T) func() map[string]int {
	counts, real := map[string]int{}, readFile
	mu := make(chan struct{}, 1)
	readFile = func(dir folder, at string, seen time.Time, b *buffer) ([]byte, Stat, error) {
		mu <- struct{}{}
		counts[at]++
		<-mu
		return real(dir, at, seen, b)
	}
	t.Cleanup(func() { readFile = real })
	return func() map[string]int { return counts }
}

func TestFileThatCannotBeReadIsReported(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "areas/a.html", memo("a"))
	write(t, dir, "areas/b.html", memo("b"))
	write(t, dir, "areas/c.html", memo("c"))
	known := scanned(t, dir, nil).Rows
	real := readFile
	t.Cleanup(func() { readFile = real })
	readFile = func(dir folder, at string, seen time.Time, b *buffer) ([]byte, Stat, error) {
		switch at {
		case "areas/a.html":
			return nil, Stat{}, &fs.PathError{Op: "open", Path: at, Err: fs.ErrPermission}
		case "areas/b.html":
			return nil, Stat{}, &fs.PathError{Op: "open", Path: at, Err: fs.ErrNotExist}
		}
		return real(dir, at, seen, b)
	}
	want := map[string]string{"areas/a.html": unreadUnreadable, "areas/c.html": ""}
	got := scanned(t, dir, nil)
	if diff := cmp.Diff(want, unread(got.Rows)); diff != "" {
		t.Errorf("scan (-want +got):\n%s", diff)
	}
	readFile = real
	if diff := cmp.Diff(unread(known), unread(scanned(t, dir, got.Rows).Rows)); diff != "" {
		t.Errorf("once it can be read again (-want +got):\n%s", diff)
	}
}

// TestRemovedIsWhateverIsNotThere gives the known rows in the wrong order, one
// of them of a file that goes away between the look at it and the reading.
func TestRemovedIsWhateverIsNotThere(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"areas/a.html", "areas/going.html", "areas/z.html"} {
		write(t, dir, path, memo("x"))
	}
	known := rows(
		file("projects/last.html", 1), file("areas/z.html", 1), file("areas/going.html", 1), file("areas/b.html", 1),
		file("areas/a.html", 1), file("archive/first.html", 1),
	)
	order := slices.Clone(known)
	real := readFile
	t.Cleanup(func() { readFile = real })
	readFile = func(dir folder, at string, seen time.Time, b *buffer) ([]byte, Stat, error) {
		if at == "areas/going.html" {
			return nil, Stat{}, &fs.PathError{Op: "open", Path: at, Err: fs.ErrNotExist}
		}
		return real(dir, at, seen, b)
	}
	got := scanned(t, dir, known)
	want := []string{"archive/first.html", "areas/b.html", "areas/going.html", "projects/last.html"}
	if diff := cmp.Diff(want, got.Removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"areas/a.html": "", "areas/z.html": ""}, unread(got.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(order, known); diff != "" {
		t.Errorf("the caller's rows were moved:\n%s", diff)
	}
}

func TestFolderThatCannotBeReadIsReported(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"areas/a.html", "areas/closed/b.html", "areas/gone/c.html", "projects/d.html"} {
		write(t, dir, path, memo("x"))
	}
	real := list
	t.Cleanup(func() { list = real })
	list = func(parent folder, name string, seen time.Time) (folder, []entry, error) {
		switch name {
		case "closed":
			return folder{}, nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		case "gone":
			return folder{}, nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return real(parent, name, seen)
	}
	want := map[string]string{"areas/a.html": "", "areas/closed": unreadUnreadable, "projects/d.html": ""}
	first := scanned(t, dir, nil)
	if diff := cmp.Diff(want, unread(first.Rows)); diff != "" {
		t.Errorf("scan (-want +got):\n%s", diff)
	}
	list = real
	if got := scanned(t, dir, first.Rows); len(got.Rows) != 4 || !cmp.Equal([]string{"areas/closed"}, got.Removed) {
		t.Errorf("once it can be read: %v, removed %q", unread(got.Rows), got.Removed)
	}
}

func TestRacyFileIsNotTrusted(t *testing.T) {
	const second = int64(time.Second)
	base := Stat{Size: 1, Mtime: 100*second + 1, Ctime: 3, Inode: 4}
	for _, tc := range []struct {
		name string
		seen int64
		now  func(*Stat)
		want bool
	}{
		{"long after", 110 * second, func(*Stat) {}, true},
		{"right after", 100*second + 2, func(*Stat) {}, false},
		{"within a tick", 100*second + int64(50*time.Millisecond), func(*Stat) {}, false},
		{"before", 99 * second, func(*Stat) {}, false},
		{"other size", 110 * second, func(s *Stat) { s.Size++ }, false},
		{"other time", 110 * second, func(s *Stat) { s.Mtime++ }, false},
		{"other change time", 110 * second, func(s *Stat) { s.Ctime++ }, false},
		{"other inode", 110 * second, func(s *Stat) { s.Inode++ }, false},
	} {
		was, now := base, base
		was.Seen, now.Seen = tc.seen, 200*second
		tc.now(&now)
		if got := was.Still(now); got != tc.want {
			t.Errorf("%s: Still = %v, want %v", tc.name, got, tc.want)
		}
	}
	whole := Stat{Mtime: 100 * second, Seen: 102 * second}
	if whole.Still(whole) {
		t.Error("a time in whole seconds is trusted after two of them")
	}
}

func TestScanTellsProgress(t *testing.T) {
	dir := t.TempDir()
	const n = 2*progressStep + 7
	for i := range n {
		write(t, dir, fmt.Sprintf("areas/%d.html", i), memo("x"))
	}
	var told [][2]int
	s, err := Scan(t.Context(), dir, nil, func(done, total int) { told = append(told, [2]int{done, total}) })
	must(t, err)
	if diff := cmp.Diff([][2]int{{progressStep, n}, {2 * progressStep, n}, {n, n}}, told); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if _, err := Scan(t.Context(), dir, s.Rows, func(int, int) { t.Error("progress although nothing was read") }); err != nil {
		t.Error(err)
	}
}

func TestScanIsCancelled(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 * progressStep {
		write(t, dir, fmt.Sprintf("areas/%d.html", i), memo("x"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	s, err := Scan(ctx, dir, nil, func(done, _ int) { reads = done; cancel() })
	if failure.CodeOf(err) != failure.Cancelled || !errors.Is(err, context.Canceled) || len(s.Rows) > 0 {
		t.Errorf("Scan = %d rows, %v; want cancelled", len(s.Rows), err)
	}
	if reads != progressStep {
		t.Errorf("it read %d files after it was cancelled at %d", reads, progressStep)
	}
}

func TestScanOfNothing(t *testing.T) {
	if s := scanned(t, t.TempDir(), rows(file("areas/a.html", 1))); len(s.Rows) > 0 || len(s.Removed) != 1 {
		t.Errorf("an empty folder gave %+v", s)
	}
	if _, err := Scan(t.Context(), filepath.Join(t.TempDir(), "none"), nil, nil); failure.CodeOf(err) != failure.Storage {
		t.Errorf("a folder that is not there gave %v", err)
	}
}
