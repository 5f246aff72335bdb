package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rel makes a link of a relation.
func rel(name, target string) func(*File) {
	return func(f *File) { f.Links = append(f.Links, Link{Rel: name, Target: target}) }
}

func life(l Life) func(*File) { return func(f *File) { f.Life = &l } }

func task(l Life) func(*File) {
	return func(f *File) { f.Type, f.Life = "task", &l }
}

func archived(f *File) { f.SaysArchived = true }

func TestQuietLives(t *testing.T) {
	s := Build([]*File{
		file("areas/says-archived.html", 1, archived),
		file("areas/inverted.html", 2, func(f *File) { f.Inverted = true }),
		file("areas/over.html", 3, life(Life{ValidUntil: "2026-01-31"})),
		file("areas/today.html", 4, life(Life{ValidUntil: "2026-02-01T08:00:00Z"})),
		file("areas/late.html", 5, task(Life{TaskStatus: "todo", Due: "2026-01-31"})),
		file("areas/done.html", 6, task(Life{TaskStatus: "done", Due: "2026-01-31"}), rel("blocks", "areas/waits.html")),
		file("areas/waits.html", 7, task(Life{TaskStatus: "blocked"})),
		file("areas/loser.html", 8),
		file("areas/winner.html", 9, rel("supersedes", "areas/loser.html")),
		file("areas/heir.html", 10, rel("supersedes", "archive/2026/areas/a.html")),
		file("areas/mute-heir.html", 11),
		file("areas/friend.html", 12, rel("supports", "areas/heir.html")),
		file("areas/misfit.html", 13, rel("supports", "areas/done.html")),
		file("archive/2026/areas/a.html", 14, archived, life(Life{SupersededBy: "areas/heir.html"})),
		file("archive/2026/areas/b.html", 15, archived, life(Life{SupersededBy: "areas/mute-heir.html"})),
		file("archive/2026/areas/says-active.html", 16),
		file("archive/2026/areas/inverted.html", 17, archived, func(f *File) { f.Inverted = true }),
		file("archive/2026/areas/over.html", 18, archived, life(Life{ValidUntil: "2026-01-31"})),
	})
	var quiet []string
	for f := range s.All() {
		if s.Quiet(f, someDay) {
			quiet = append(quiet, f.Path)
		}
	}
	want := []string{
		"archive/2026/areas/a.html", "archive/2026/areas/b.html", "archive/2026/areas/inverted.html", "archive/2026/areas/over.html",
		"areas/done.html", "areas/friend.html", "areas/heir.html", "areas/today.html", "areas/winner.html",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, quiet); diff != "" {
		t.Errorf("quiet files (-want +got):\n%s", diff)
	}
}

// Both ends of what one file says of another are neighbours, and so is a circle
// of supersessions as a whole.
func TestBondsMakeNeighbours(t *testing.T) {
	s := Build([]*File{
		file("areas/blocker.html", 1, task(Life{TaskStatus: "todo"}), rel("blocks", "areas/blocked.html")),
		file("areas/blocked.html", 2, task(Life{TaskStatus: "todo"})),
		file("areas/winner.html", 3, rel("supersedes", "areas/loser.html")),
		file("areas/loser.html", 4),
		file("areas/heir.html", 5),
		file("archive/2026/areas/old.html", 6, life(Life{SupersededBy: "areas/heir.html"})),
		file("areas/one.html", 7, rel("supersedes", "areas/two.html")),
		file("areas/two.html", 8, rel("supersedes", "areas/three.html")),
		file("areas/three.html", 9, rel("supersedes", "areas/four.html")),
		file("areas/four.html", 10, rel("supersedes", "areas/one.html")),
	})
	for path, want := range map[string][]string{
		"areas/blocker.html":          {"areas/blocked.html"},
		"areas/blocked.html":          {"areas/blocker.html"},
		"areas/winner.html":           {"areas/loser.html"},
		"areas/loser.html":            {"areas/winner.html"},
		"areas/heir.html":             {"archive/2026/areas/old.html"},
		"archive/2026/areas/old.html": {"areas/heir.html"},
		"areas/one.html":              {"areas/four.html", "areas/three.html", "areas/two.html"},
	} {
		if diff := cmp.Diff(want, slices.Sorted(s.Neighbours(s.File(path)))); diff != "" {
			t.Errorf("neighbours of %s (-want +got):\n%s", path, diff)
		}
	}
}

func TestPassedIsByDay(t *testing.T) {
	s := Build([]*File{
		file("areas/a.html", 1, life(Life{ValidUntil: "2026-02-01"})),
		file("areas/b.html", 2, task(Life{TaskStatus: "todo", Due: "2026-02-02T08:00:00Z", ValidUntil: "2026-02-03"})),
		file("areas/c.html", 3, task(Life{TaskStatus: "done", Due: "2026-02-01"})),
		file("archive/2026/areas/d.html", 4, life(Life{ValidUntil: "2026-02-01"})),
	})
	for days, want := range map[[2]string][]string{
		{"2026-02-01", "2026-02-01"}: nil,
		{"2026-02-01", "2026-02-02"}: {"areas/a.html"},
		{"2026-02-03", "2026-02-01"}: {"areas/a.html", "areas/b.html"},
		{"2026-02-02", "2026-02-09"}: {"areas/b.html", "areas/b.html"},
		{"", "2026-02-02"}:           {"areas/a.html"},
	} {
		if diff := cmp.Diff(want, paths(s.Passed(days[0], days[1]))); diff != "" {
			t.Errorf("%v (-want +got):\n%s", days, diff)
		}
	}
}

// Whoever moves a memory by hand moves what its head says with it.
func TestMovedFileKeepsWhatItSays(t *testing.T) {
	text := []byte(strings.Replace(memo("Drain first."), "</head>",
		`<meta name="memhtml-valid-from" content="2026-02-01"><meta name="memhtml-valid-until" content="2026-01-01">`+
			`<meta name="memhtml-archived" content="2026-03-01"></head>`, 1))
	for _, pair := range [][2]string{{"areas/a.html", "archive/2026/areas/a.html"}, {"archive/2026/areas/a.html", "areas/a.html"}} {
		if diff := cmp.Diff(NewFile(pair[1], text), NewFile(pair[0], text).movedTo(pair[1])); diff != "" {
			t.Errorf("%v (-parsed +moved):\n%s", pair, diff)
		}
	}
}

// TestHubsAreInTime: one file that everybody supersedes, blocks or names is
// looked at in bounded time.
func TestHubsAreInTime(t *testing.T) {
	const hub = "areas/hub.html"
	cost := func(n int) float64 {
		files := []*File{file(hub, 0, task(Life{TaskStatus: "blocked"}))}
		for i := range n {
			files = append(files,
				file(fmt.Sprintf("archive/2026/areas/a%05d.html", i), byte(i), archived, life(Life{SupersededBy: hub})),
				file(fmt.Sprintf("areas/b%05d.html", i), byte(i), task(Life{TaskStatus: "done"}), rel("blocks", hub), rel("supersedes", hub)))
		}
		s := Build(files)
		f := s.File(hub)
		return testing.AllocsPerRun(5, func() {
			s.StaleBlockers(f)
			s.SupersedeCycle(f)
			for range s.Unclaimed(f) {
			}
		})
	}
	if small, large := cost(300), cost(20_000); large > small+8 {
		t.Errorf("%v allocations for a hub of 20000, %v for one of 300", large, small)
	}
}
