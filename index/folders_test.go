package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// reporter is what a test and a random one have in common.
type reporter interface {
	Helper()
	Fatal(...any)
}

// watched is a root and what was last known of it.
type watched struct {
	dir      string
	snapshot *Snapshot
	stats    map[string]Stat
	folders  Folders
}

func watch(t reporter, dir string) *watched {
	t.Helper()
	first, err := Scan(context.Background(), dir, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{dir: dir, snapshot: New(), stats: map[string]Stat{}, folders: first.Folders}
	w.take(first)
	return w
}

func (w *watched) take(s Scanned) {
	disk := map[string]*File{}
	for _, path := range s.Removed {
		disk[path] = nil
	}
	for _, r := range s.Moved {
		disk[r.File.Path], w.stats[r.File.Path] = r.File, r.Stat
	}
	w.snapshot = w.snapshot.Apply(Delta{Disk: disk})
}

func (w *watched) in(folder string) (known []Row) {
	if f := w.snapshot.Disk(folder); f != nil && !strings.Contains(folder, "/") {
		known = append(known, Row{f, w.stats[folder]})
	}
	for f := range w.snapshot.DiskIn(folder) {
		known = append(known, Row{f, w.stats[f.Path]})
	}
	return known
}

func (w *watched) scan(t reporter) Scanned {
	t.Helper()
	got, err := ScanMoved(context.Background(), w.dir, w.folders, w.in)
	if err != nil {
		t.Fatal(err)
	}
	w.take(got)
	return got
}

// rest makes every folder look as if nobody had touched it for long.
func (w *watched) rest(t reporter) {
	t.Helper()
	for folder := range w.folders {
		name := filepath.Join(w.dir, filepath.FromSlash(folder))
		if err := os.Chtimes(name, longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
		stat, _, err := lookAt(name, time.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		w.folders[folder] = stat
	}
}

func (w *watched) blobs() map[string]BlobID {
	blobs := map[string]BlobID{}
	for f := range w.snapshot.DiskFiles() {
		blobs[f.Path+" "+f.Unread] = f.Blob
	}
	return blobs
}

// Whatever happens to folders and to whole files in them, a look at the folders
// finds what a walk would.
func TestScanMovedFindsWhatAWalkFinds(t *testing.T) {
	places := []string{"areas", "areas/a", "areas/a/b", "areas/a-b", "projects", "projects/a", "outside", "outside/b"}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "folders")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		w := watch(t, dir)
		folder := rapid.SampledFrom(places)
		name := rapid.Custom(func(t *rapid.T) string {
			return filepath.Join(dir, folder.Draw(t, "in"), rapid.SampledFrom([]string{"a.html", "a-b.html", "b.html", "b"}).Draw(t, "name"))
		})
		at := rapid.Custom(func(t *rapid.T) string { return filepath.Join(dir, folder.Draw(t, "folder")) })
		t.Repeat(map[string]func(*rapid.T){
			"save": func(t *rapid.T) {
				fresh := filepath.Join(dir, "fresh")
				text := memo(fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "text")))
				if err := os.WriteFile(fresh, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				_ = os.Rename(fresh, name.Draw(t, "file"))
			},
			"make":   func(t *rapid.T) { _ = os.MkdirAll(at.Draw(t, "made"), 0o755) },
			"move":   func(t *rapid.T) { _ = os.Rename(name.Draw(t, "from"), name.Draw(t, "to")) },
			"shift":  func(t *rapid.T) { _ = os.Rename(at.Draw(t, "from"), at.Draw(t, "to")) },
			"remove": func(t *rapid.T) { _ = os.RemoveAll(name.Draw(t, "removed")) },
			"drop":   func(t *rapid.T) { _ = os.RemoveAll(at.Draw(t, "dropped")) },
			"link":   func(t *rapid.T) { _ = os.Symlink(at.Draw(t, "target"), at.Draw(t, "link")) },
			"mark":   func(t *rapid.T) { _ = os.MkdirAll(filepath.Join(at.Draw(t, "marked"), markerFolder), 0o755) },
			"unmark": func(t *rapid.T) { _ = os.RemoveAll(filepath.Join(at.Draw(t, "unmarked"), markerFolder)) },
			"": func(t *rapid.T) {
				w.scan(t)
				want := watch(t, dir)
				if diff := cmp.Diff(want.blobs(), w.blobs()); diff != "" {
					t.Fatalf("(-walk +folders)\n%s", diff)
				}
				w.rest(t)
			},
		})
	})
}

// A look at the folders costs the folders that moved: nothing else is listed and
// nothing that is known is read.
func TestScanMovedLooksWhereSomethingMoved(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"areas/a/1.html", "areas/a/2.html", "areas/b/1.html", "projects/a/1.html"} {
		write(t, dir, path, memo(path))
	}
	w := watch(t, dir)
	w.rest(t)
	var listed []string
	real := list
	t.Cleanup(func() { list = real })
	list = func(parent folder, name string, seen time.Time) (folder, []entry, error) {
		listed = append(listed, name)
		return real(parent, name, seen)
	}
	reads := countReads(t)
	w.scan(t)
	write(t, dir, "areas/b/2.html", memo("new"))
	w.scan(t)
	if want := []string{"b"}; !slices.Equal(listed, want) {
		t.Errorf("listed %q, want %q", listed, want)
	}
	if diff := cmp.Diff(map[string]int{"areas/b/2.html": 1}, reads()); diff != "" {
		t.Errorf("files read (-want +got):\n%s", diff)
	}
}

// What was moved is known by its bytes and not parsed again.
func TestMovedFilesAreNotParsed(t *testing.T) {
	dir := t.TempDir()
	linked := strings.Replace(memo("b"), "</head>", `<link rel="memhtml-supports" href="/areas/a/a.html"></head>`, 1)
	write(t, dir, "areas/a/a.html", memo("a"))
	write(t, dir, "areas/a/b.html", linked)
	for name, scan := range map[string]func(w *watched) Scanned{
		"by a walk": func(w *watched) Scanned {
			return scanned(t, w.dir, append(w.in("areas/a"), w.in("archive/2026/areas/a")...))
		},
		"by the folders": func(w *watched) Scanned { return w.scan(t) },
	} {
		t.Run(name, func(t *testing.T) {
			must(t, os.MkdirAll(filepath.Join(dir, "archive/2026/areas"), 0o755))
			w := watch(t, dir)
			from, to := filepath.Join(dir, "areas/a"), filepath.Join(dir, "archive/2026/areas/a")
			must(t, os.Rename(from, to))
			got := scan(w)
			must(t, os.Rename(to, from))
			if got.Parsed != 0 || len(got.Moved) != 2 || len(got.Removed) != 2 {
				t.Fatalf("%d parsed, %d moved, removed %q", got.Parsed, len(got.Moved), got.Removed)
			}
			want := []*File{NewFile("archive/2026/areas/a/a.html", []byte(memo("a"))), NewFile("archive/2026/areas/a/b.html", []byte(linked))}
			if diff := cmp.Diff(want, []*File{got.Moved[0].File, got.Moved[1].File}); diff != "" {
				t.Errorf("(-parsed +moved)\n%s", diff)
			}
		})
	}
}
