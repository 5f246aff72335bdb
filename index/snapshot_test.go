package index

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

func paths(files iter.Seq[*File]) []string {
	var out []string
	for f := range files {
		out = append(out, f.Path)
	}
	return out
}

func file(path string, hash byte, edit ...func(*File)) *File {
	f := &File{
		Path: path, ContentHash: memory.Hash{hash}, NormalHash: memory.Hash{hash}, Type: "semantic",
		Created: "2026-01-01", Accepted: true, Tracked: true,
	}
	for _, e := range edit {
		e(f)
	}
	return f
}

func disk(files ...*File) Delta {
	d := Delta{Disk: map[string]*File{}}
	for _, f := range files {
		d.Disk[f.Path] = f
	}
	return d
}

func TestHoldersAreInReportingOrder(t *testing.T) {
	s := Build([]*File{
		file("areas/e.html", 1, func(f *File) { f.Incoming = 2 }),
		file("areas/d.html", 1, func(f *File) { f.Tracked, f.Created = false, "2020-01-01" }),
		file("areas/c.html", 1),
		file("areas/b.html", 1),
		file("areas/a.html", 1, func(f *File) { f.Created = "2026-02-01" }),
		file("areas/task.html", 1, func(f *File) { f.Type = "task" }),
		file("archive/2026/areas/x.html", 1),
		file("areas/bad.html", 1, func(f *File) { f.Accepted = false }),
		file("areas/other.html", 2),
	})
	want := []string{"areas/b.html", "areas/c.html", "areas/a.html", "areas/d.html", "areas/e.html"}
	if diff := cmp.Diff(want, paths(s.Holders(memory.Hash{1}))); diff != "" {
		t.Errorf("Holders (-want +got):\n%s", diff)
	}
	if got := s.HolderCount(memory.Hash{1}); got != len(want) {
		t.Errorf("HolderCount = %d, want %d", got, len(want))
	}
	if got := s.HolderCount(memory.Hash{9}); got != 0 {
		t.Errorf("HolderCount of an unknown hash = %d, want 0", got)
	}
}

func TestOpenBufferHidesItsFile(t *testing.T) {
	saved := file("areas/a.html", 1)
	edited := file("areas/a.html", 2, func(f *File) { f.Incoming = 1 })
	s := Build([]*File{saved, file("areas/b.html", 1)})
	opened := s.Apply(Delta{Open: map[string]*File{saved.Path: edited}})

	if got := opened.File(saved.Path); got != edited {
		t.Errorf("File = %v, want the buffer's", got)
	}
	if got := opened.Disk(saved.Path); got != saved {
		t.Errorf("Disk = %v, want the saved file", got)
	}
	if diff := cmp.Diff([]string{"areas/b.html"}, paths(opened.Holders(memory.Hash{1}))); diff != "" {
		t.Errorf("holders of the hidden content (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]*File{saved, s.File("areas/b.html")}, slices.Collect(opened.DiskFiles())); diff != "" {
		t.Errorf("DiskFiles (-want +got):\n%s", diff)
	}
	gone := opened.Apply(Delta{Disk: map[string]*File{saved.Path: nil}})
	if gone.File(saved.Path) != edited || gone.Disk(saved.Path) != nil {
		t.Error("a deleted file that is open must stay visible as its buffer alone")
	}
	closed := gone.Apply(Delta{Open: map[string]*File{saved.Path: nil}})
	if closed.File(saved.Path) != nil || closed.Len() != 1 {
		t.Error("closing the buffer of a deleted file must leave nothing of it")
	}
	if closed.Generation() != s.Generation()+3 {
		t.Errorf("generation %d after three changes of generation %d", closed.Generation(), s.Generation())
	}
}

func TestNeighboursAreEachNamedOnce(t *testing.T) {
	frame := func(f *File) { f.FrameKey = "the pool size is" }
	f := file("areas/f.html", 1, frame)
	s := Build([]*File{
		f,
		file("areas/everything.html", 1, frame, link("areas/f.html", "areas/f.html")),
		file("areas/normal.html", 2, frame, func(g *File) { g.NormalHash = memory.Hash{1} }),
		file("areas/frame.html", 3, frame),
		file("areas/linker.html", 4, link("areas/f%2Ehtml", "areas/f.html")),
		file("areas/task.html", 1, link("areas/f.html", ""), func(g *File) { g.Type = "task" }),
		file("areas/stranger.html", 5),
	})
	want := []string{"areas/everything.html", "areas/normal.html", "areas/frame.html", "areas/linker.html", "areas/task.html"}
	if diff := cmp.Diff(want, slices.Collect(s.Neighbours(f))); diff != "" {
		t.Errorf("Neighbours (-want +got):\n%s", diff)
	}
	for n := range len(want) + 1 {
		got := 0
		for range s.Neighbours(f) {
			if got++; got >= n {
				break
			}
		}
		if got != max(n, 1) {
			t.Errorf("asked for %d neighbours, got %d", n, got)
		}
	}
}

func link(target, alternate string) func(*File) {
	return func(f *File) {
		f.Links = append(f.Links, Link{Rel: "relates_to", Target: target, Alternate: alternate})
	}
}

// TestLinkersOfTheOldPlaceAreNeighbours is for the finding that says where a
// link's target has gone: it appears when the archived file does.
func TestLinkersOfTheOldPlaceAreNeighbours(t *testing.T) {
	f := file("archive/2026/areas/f.html", 1)
	s := Build([]*File{
		f,
		file("areas/old.html", 2, link("areas/f.html", "")),
		file("areas/new.html", 3, link(f.Path, "")),
		file("areas/both.html", 4, link(f.Path, ""), link("areas/f.html", "")),
	})
	want := []string{"areas/both.html", "areas/new.html", "areas/old.html"}
	if diff := cmp.Diff(want, slices.Collect(s.Neighbours(f))); diff != "" {
		t.Errorf("Neighbours (-want +got):\n%s", diff)
	}
}

func TestQuiet(t *testing.T) {
	s := Build([]*File{
		file("areas/plain.html", 1),
		file("areas/links.html", 2, link("areas/plain.html", "")),
		file("areas/decoded.html", 3, link("areas/pl%61in.html", "areas/plain.html")),
		file("areas/dangling.html", 4, link("areas/none.html", "")),
		file("areas/self.html", 5, link("areas/self.html", "")),
		file("areas/flawed.html", 6, func(f *File) { f.Flawed = true }),
		file("areas/unmerged.html", 7, func(f *File) { f.Unmerged = true }),
		{Path: "areas/unread.html", Unread: "too-large"},
		file("areas/twin-a.html", 8),
		file("areas/twin-b.html", 8),
		file("areas/task.html", 8, func(f *File) { f.Type = "task" }),
		file("areas/frame-a.html", 9, func(f *File) { f.FrameKey = "the pool is" }),
		file("areas/frame-b.html", 10, func(f *File) { f.FrameKey = "the pool is" }),
	})
	var quiet []string
	for f := range s.All() {
		if s.Quiet(f, someDay) {
			quiet = append(quiet, f.Path)
		}
	}
	want := []string{"areas/decoded.html", "areas/links.html", "areas/plain.html", "areas/task.html"}
	if diff := cmp.Diff(want, quiet); diff != "" {
		t.Errorf("quiet files (-want +got):\n%s", diff)
	}
}

// lookups is everything that can be asked of a snapshot of anyFile's values.
func lookups(s *Snapshot) map[string]any {
	all := map[string]any{
		"all": slices.Collect(s.All()), "open": slices.Collect(s.Open()), "disk": slices.Collect(s.DiskFiles()), "len": s.Len(),
	}
	for h := range byte(4) {
		hash := memory.Hash{h}
		all[fmt.Sprint("content ", h)] = paths(s.Holders(hash))
		all[fmt.Sprint("contents ", h)] = s.HolderCount(hash)
		all[fmt.Sprint("normal ", h)] = paths(s.NormalHolders(hash))
		all[fmt.Sprint("normals ", h)] = s.NormalHolderCount(hash)
		all[fmt.Sprint("frame ", h)] = paths(s.FrameHolders(frameKeys[h]))
		all[fmt.Sprint("frames ", h)] = s.FrameHolderCount(frameKeys[h])
	}
	for _, p := range somePaths {
		all["linkers "+p] = paths(s.Linkers(p))
		all["file "+p] = []*File{s.File(p), s.Disk(p)}
	}
	for _, to := range someDays {
		all["passed until "+to] = paths(s.Passed(someDay, to))
	}
	for f := range s.All() {
		all["successor "+f.Path] = s.Successor(f)
		all["winner "+f.Path] = s.Winner(f)
		all["unacknowledged "+f.Path] = s.Unacknowledged(f)
		all["unclaimed "+f.Path] = paths(s.Unclaimed(f))
		all["stale blockers "+f.Path] = s.StaleBlockers(f)
		all["cycle "+f.Path] = s.SupersedeCycle(f)
		all["neighbours "+f.Path] = slices.Collect(s.Neighbours(f))
		all["quiet "+f.Path] = s.Quiet(f, someDay)
	}
	return all
}

var (
	someDays  = []string{"2026-01-01", "2026-03-01", "2026-06-01"}
	frameKeys = []string{"", "the pool size is", "the pool", "capital of india is"}
	somePaths = []string{"areas/a.html", "areas/b.html", "areas/c d.html", "projects/x/a.html", "archive/2026/areas/a.html", "resources/é.html"}
)

// someDay is a day on which some of the files of anyFile are late.
const someDay = "2026-02-01"

func anyFile(t *rapid.T, path string) *File {
	f := &File{
		Path:        path,
		ContentHash: memory.Hash{rapid.ByteRange(0, 3).Draw(t, "content")},
		NormalHash:  memory.Hash{rapid.ByteRange(0, 3).Draw(t, "normal")},
		Type:        rapid.SampledFrom([]string{"semantic", "task"}).Draw(t, "type"),
		Created:     rapid.SampledFrom([]string{"", "2026-01-01", "2026-01-02"}).Draw(t, "created"),
		FrameKey:    rapid.SampledFrom(frameKeys).Draw(t, "frame"),
		Accepted:    rapid.IntRange(0, 3).Draw(t, "accepted") > 0,
		Tracked:     rapid.Bool().Draw(t, "tracked"),
		Incoming:    rapid.Uint64Range(0, 1).Draw(t, "incoming"),

		SaysArchived: rapid.Bool().Draw(t, "says archived"),
		Life: Life{
			TaskStatus:   rapid.SampledFrom([]string{"todo", "blocked", "done"}).Draw(t, "task status"),
			Due:          rapid.SampledFrom(append(someDays, "")).Draw(t, "due"),
			ValidUntil:   rapid.SampledFrom(append(someDays, "")).Draw(t, "valid until"),
			SupersededBy: rapid.SampledFrom(append(somePaths, "", "", "")).Draw(t, "superseded by"),
		}.orNil(),
	}
	for range rapid.IntRange(0, 2).Draw(t, "links") {
		f.Links = append(f.Links, Link{
			Rel: rapid.SampledFrom([]string{"supports", "supersedes", "blocks"}).Draw(t, "rel"), Target: rapid.SampledFrom(somePaths).Draw(t, "target"),
			Alternate: rapid.SampledFrom(append(somePaths, "")).Draw(t, "alternate"),
		})
	}
	return f
}

// TestApplyEqualsBuild holds an incremental snapshot to one built afresh from
// the same files, and every earlier snapshot to what it said when it was made.
func TestApplyEqualsBuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		onDisk, open := map[string]*File{}, map[string]*File{}
		s := New()
		var history []*Snapshot
		var said []map[string]any
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			d := Delta{Disk: change(t, onDisk), Open: change(t, open)}
			s = s.Apply(d)
			history, said = append(history, s), append(said, lookups(s))

			fresh := Build(slices.Collect(maps.Values(onDisk))).Apply(Delta{Open: open})
			if diff := cmp.Diff(lookups(fresh), lookups(s)); diff != "" {
				t.Fatalf("incremental differs from fresh (-fresh +incremental):\n%s", diff)
			}
		}
		for i, old := range history {
			if diff := cmp.Diff(said[i], lookups(old)); diff != "" {
				t.Fatalf("snapshot %d changed after it was made:\n%s", i, diff)
			}
		}
	})
}

// change draws changes of some paths and makes them in files too.
func change(t *rapid.T, files map[string]*File) map[string]*File {
	changes := map[string]*File{}
	for range rapid.IntRange(0, 3).Draw(t, "paths") {
		path := rapid.SampledFrom(somePaths).Draw(t, "path")
		changes[path] = nil
		delete(files, path)
		if rapid.Bool().Draw(t, "present") {
			changes[path] = anyFile(t, path)
			files[path] = changes[path]
		}
	}
	return changes
}

func TestReadersAndWritersOfOneSnapshotDoNotRace(t *testing.T) {
	var files []*File
	for i := range 400 {
		files = append(files, file(fmt.Sprintf("areas/%04d.html", i), byte(i%7), link("areas/0000.html", "")))
	}
	s := Build(files)
	want := lookups(s)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			own := s
			for i := range 50 {
				own = own.Apply(disk(file(fmt.Sprintf("areas/%04d.html", w*100+i), byte(i))))
			}
		})
		wg.Go(func() {
			if diff := cmp.Diff(want, lookups(s)); diff != "" {
				t.Errorf("a reader saw a writer's change:\n%s", diff)
			}
		})
	}
	wg.Wait()
}

// A finding on a link says where the file is that it means, so that whoever
// links to any form of a path has to be told of every other form.
func TestNeighboursLinkToAnyFormOfThePath(t *testing.T) {
	s := Build([]*File{
		file("areas/live.html", 1, link("areas/x.html", "")),
		file("areas/older.html", 2, link("archive/2024/areas/x.html", "")),
		file("areas/newer.html", 3, link("archive/2026/areas/x.html", "")),
		file("areas/twice.html", 4, link("areas/x.html", "archive/2026/areas/x.html")),
		file("areas/other.html", 5, link("archive/2026/areas/y.html", "")),
	})
	want := []string{"areas/live.html", "areas/newer.html", "areas/older.html", "areas/twice.html"}
	for _, path := range []string{"areas/x.html", "archive/2024/areas/x.html", "archive/2025/areas/x.html"} {
		if diff := cmp.Diff(want, slices.Collect(s.Neighbours(file(path, 9)))); diff != "" {
			t.Errorf("neighbours of %s (-want +got):\n%s", path, diff)
		}
	}
	for path, want := range map[string][]string{
		"areas/x.html":              {"areas/live.html", "areas/twice.html"},
		"archive/2026/areas/x.html": {"areas/newer.html", "areas/twice.html"},
		"archive/2025/areas/x.html": nil,
	} {
		if diff := cmp.Diff(want, paths(s.Linkers(path))); diff != "" {
			t.Errorf("linkers of %s (-want +got):\n%s", path, diff)
		}
	}
}

func TestArchivedForms(t *testing.T) {
	files := []*File{
		file("areas/x.html", 1),
		file("archive/0999/areas/x.html", 2),
		file("archive/2024/areas/x.html", 3, func(f *File) { f.Accepted = false }),
		file("archive/2026/areas/x.html", 4, func(f *File) { f.Type = "task" }),
		file("archive/12026/areas/x.html", 5),
		file("archive/2026/areas/xx.html", 6),
		file("archive/2026/archive/2025/areas/x.html", 7),
		file("archive/loose.html", 8),
	}
	want := map[string][]string{
		"areas/x.html": {
			"archive/12026/areas/x.html", "archive/2026/areas/x.html", "archive/2024/areas/x.html", "archive/0999/areas/x.html",
		},
		"archive/2025/areas/x.html": {"archive/2026/archive/2025/areas/x.html"},
		"archive/loose.html":        nil,
		"areas/none.html":           nil,
	}
	for name, s := range map[string]*Snapshot{"built": Build(files), "applied": New().Apply(disk(files...))} {
		for path, want := range want {
			if diff := cmp.Diff(want, paths(s.ArchivedForms(path))); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, path, diff)
			}
		}
		gone := s.Apply(Delta{Disk: map[string]*File{"archive/12026/areas/x.html": nil}})
		if diff := cmp.Diff(want["areas/x.html"][1:], paths(gone.ArchivedForms("areas/x.html"))); diff != "" {
			t.Errorf("%s, after one is gone (-want +got):\n%s", name, diff)
		}
	}
}
