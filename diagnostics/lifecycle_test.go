package diagnostics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// TestLifecycle has a case for every rule of what time and other files make of
// a file, and for what looks like one and is none. Files are those of parseFile,
// findings "path code other", the day is 2026-05-02.
func TestLifecycle(t *testing.T) {
	tests := []struct{ name, files, want string }{
		{
			"a task is late after its day", `
			areas/on-the-day.html task=todo due=2026-05-02
			areas/at-an-hour-of-the-day.html task=todo due=2026-05-02T08:00:00Z
			areas/the-day-after.html task=doing due=2026-05-01T23:59:59Z
			areas/blocked.html task=blocked due=2026-05-01
			areas/done.html task=done due=2026-05-01
			areas/no-task.html due=2026-05-01
			areas/refused.html task=todo due=2026-05-01 refused
			areas/without.html task=todo
			archive/2026/areas/put-away.html task=todo due=2026-05-01`, `
			areas/blocked.html overdue-task 
			areas/the-day-after.html overdue-task `,
		},
		{
			"a memory is expired after its last day", `
			areas/last-day.html until=2026-05-02
			areas/over.html until=2026-05-01
			areas/far.html until=2031-05-01
			archive/2026/areas/put-away.html until=2026-05-01`,
			`areas/over.html validity-expired `,
		},
		{
			"a winner's link asks for the loser to be archived", `
			areas/loser.html
			areas/winner.html link=supersedes:areas/loser.html`,
			`areas/loser.html superseded-but-active areas/winner.html`,
		},
		{
			"so does the loser's own meta, also of a winner that is gone", `
			areas/loser.html by=areas/winner.html
			areas/orphan.html by=areas/gone.html
			areas/winner.html`, `
			areas/loser.html superseded-but-active areas/winner.html
			areas/orphan.html superseded-but-active areas/gone.html`,
		},
		{
			"the meta and the link of one winner are one finding", `
			areas/loser.html by=areas/winner.html
			areas/winner.html link=supersedes:areas/loser.html`,
			`areas/loser.html superseded-but-active areas/winner.html`,
		},
		{
			"a memory that came back stands", `
			areas/loser.html
			archive/2026/areas/loser.html by=areas/winner.html
			areas/winner.html link=supersedes:archive/2026/areas/loser.html`,
			``,
		},
		{
			"the word of an archived, a refused or an unmerged file does not make a loser", `
			areas/a.html
			areas/refused.html refused link=supersedes:areas/a.html
			archive/2026/areas/winner.html link=supersedes:areas/a.html by=areas/a.html
			areas/unmerged.html unmerged link=supersedes:areas/a.html`,
			`
			areas/a.html supersede-asymmetric archive/2026/areas/winner.html
			areas/unmerged.html merge-markers `,
		},
		{
			"a supersession that both tell is in order, and so is a loser of another winner", `
			areas/winner.html link=supersedes:archive/2026/areas/loser.html link=supersedes:archive/2026/areas/other.html
			archive/2026/areas/loser.html by=areas/winner.html
			archive/2026/areas/other.html by=areas/elsewhere.html`,
			``,
		},
		{
			"the loser in the archive does not name its winner", `
			areas/winner.html link=supersedes:archive/2026/areas/loser.html
			archive/2026/areas/loser.html`,
			`archive/2026/areas/loser.html supersede-asymmetric areas/winner.html`,
		},
		{
			"a plain archive names nobody, and nobody names it", `
			archive/2026/areas/put-away.html
			areas/friend.html link=relates_to:archive/2026/areas/put-away.html`,
			``,
		},
		{
			"the winner has no link", `
			areas/winner.html
			archive/2026/areas/loser.html by=areas/winner.html`,
			`areas/winner.html supersede-asymmetric archive/2026/areas/loser.html`,
		},
		{
			"a link to the live place or to another year of the loser is enough", `
			areas/a.html link=supersedes:areas/loser.html
			archive/2026/areas/loser.html by=areas/a.html
			areas/b.html link=supersedes:archive/2025/areas/lost.html
			archive/2026/areas/lost.html by=areas/b.html`,
			``,
		},
		{
			"the latest of a circle carries it, and it alone", `
			areas/a.html link=supersedes:areas/b.html created=2026-03-01
			areas/b.html link=supersedes:areas/c.html
			areas/c.html link=supersedes:areas/a.html`,
			`areas/a.html supersede-cycle areas/b.html`,
		},
		{
			"a memory that only leads into a circle is in none", `
			areas/a.html link=supersedes:areas/b.html
			areas/b.html link=supersedes:areas/c.html
			areas/c.html link=supersedes:areas/b.html`,
			`areas/c.html supersede-cycle areas/b.html`,
		},
		{
			"a chain is no circle", `
			areas/new.html link=supersedes:archive/2026/areas/mid.html
			archive/2026/areas/mid.html by=areas/new.html link=supersedes:archive/2025/areas/old.html
			archive/2025/areas/old.html by=areas/mid.html`,
			``,
		},
		{
			"two memories that took turns are in no circle", `
			areas/a.html link=supersedes:archive/2026/areas/b.html
			archive/2025/areas/a.html by=areas/b.html
			archive/2026/areas/b.html by=areas/a.html link=supersedes:archive/2025/areas/a.html`,
			``,
		},
		{
			"a blocker in the archive is stale for any open task", `
			archive/2026/areas/gone.html task=todo link=blocks:areas/doing.html link=blocks:areas/done.html
			areas/doing.html task=doing
			areas/done.html task=done`,
			`areas/doing.html stale-blocker archive/2026/areas/gone.html`,
		},
		{
			"one that is done is stale once nothing else blocks", `
			areas/done.html task=done link=blocks:areas/one.html link=blocks:areas/both.html link=blocks:areas/started.html
			areas/open.html task=todo link=blocks:areas/both.html
			areas/one.html task=blocked
			areas/both.html task=blocked
			areas/started.html task=doing`,
			`areas/one.html stale-blocker areas/done.html`,
		},
		{
			"a memory or a subtask blocks nothing", `
			archive/2026/areas/memory.html link=blocks:areas/task.html
			archive/2026/areas/sub.html task=done link=subtask_of:areas/task.html
			areas/task.html task=blocked`,
			``,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			snap := corpusOf(tt.files)
			var got []string
			for f := range snap.All() {
				for _, d := range Find(Input{Snapshot: snap, File: f, Today: "2026-05-02"}) {
					got = append(got, fmt.Sprintf("%s %s %s", d.Path, d.Code, d.Data.Other))
				}
			}
			if diff := cmp.Diff(lines(tt.want), got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// Without a day nothing is late.
func TestNoDayNoDates(t *testing.T) {
	snap := corpusOf("areas/a.html task=todo due=2020-01-01 until=2020-01-01")
	if got := Find(Input{Snapshot: snap, File: snap.File("areas/a.html")}); got != nil {
		t.Errorf("found %v", got)
	}
}

func TestCircleOfEightIsFoundAndNoLarger(t *testing.T) {
	for n, want := range map[int]bool{2: true, 8: true, 9: false} {
		var files strings.Builder
		for i := range n {
			fmt.Fprintf(&files, "areas/%d.html link=supersedes:areas/%d.html\n", i, (i+1)%n)
		}
		snap := corpusOf(files.String())
		last := snap.File(fmt.Sprintf("areas/%d.html", n-1))
		got := Find(Input{Snapshot: snap, File: last})
		if found := slices.ContainsFunc(got, func(f Finding) bool { return f.Code == SupersedeCycle }); found != want {
			t.Errorf("a circle of %d: %v", n, got)
		}
	}
}

func TestCircleNamesItsMembers(t *testing.T) {
	snap := corpusOf(`
		areas/a.html link=supersedes:areas/b.html
		areas/b.html link=supersedes:areas/c.html
		areas/c.html link=supersedes:areas/a.html`)
	got := Find(Input{Snapshot: snap, File: snap.File("areas/c.html")})
	const want = "This memory supersedes areas/a.html, which supersedes areas/b.html, which supersedes this one."
	if len(got) != 1 || got[0].Message != want || len(got[0].Related) != 2 {
		t.Errorf("got %+v, want %q with 2 places", got, want)
	}
}

// TestLinksBetweenKinds has every kind of link from a memory and a task to
// either, and to themselves.
func TestLinksBetweenKinds(t *testing.T) {
	snap := corpusOf(`
		areas/memory.html
		areas/task.html task=todo
		areas/other-memory.html
		areas/other-task.html task=todo
		areas/refused.html task=todo refused`)
	tests := []struct{ from, rel, to, want string }{
		{"memory", "supports", "other-memory", ""},
		{"memory", "supports", "other-task", "areas/other-task.html is a task, and supports is between memories."},
		{"task", "caused-by", "other-memory", "This is a task, and caused-by is between memories."},
		{"task", "supports", "other-task", "This is a task, and supports is between memories."},
		{"task", "blocks", "other-task", ""},
		{"task", "subtask-of", "other-memory", "areas/other-memory.html is no task, and subtask-of is between tasks."},
		{"memory", "blocks", "other-task", "This is no task, and blocks is between tasks."},
		{"memory", "about-person", "other-task", ""},
		{"task", "authored-by", "other-memory", ""},
		{"task", "from-session", "other-memory", ""},
		{"memory", "supports", "refused", ""},
		{"memory", "blocks", "refused", "This is no task, and blocks is between tasks."},
		{"memory", "supports", "memory", "This link names the file it is in."},
		{"task", "supports", "task", "This link names the file it is in."},
		{"memory", "supports", "mem%6Fry", "This link names the file it is in."},
	}
	for _, tt := range tests {
		d := memory.Parse(fmt.Appendf(nil, `<head><link rel="memhtml-%s" href="/areas/%s.html"></head>`, tt.rel, tt.to))
		got := ""
		for _, f := range Find(Input{Snapshot: snap, File: snap.File("areas/" + tt.from + ".html"), Document: d}) {
			if f.Code == EdgeClassMismatch || f.Code == SelfLink {
				got += f.Message
			}
		}
		if got != tt.want {
			t.Errorf("%s %s %s: %q, want %q", tt.from, tt.rel, tt.to, got, tt.want)
		}
	}
}

func TestHeadAgainstPlaceAndDates(t *testing.T) {
	tests := []struct{ path, metas, want string }{
		{"areas/a.html", `status=active`, ""},
		{"areas/a.html", `status=archived`, "memhtml-status says archived, but the file is not in the archive."},
		{"archive/2026/areas/a.html", `status=archived`, ""},
		{"archive/2026/areas/a.html", `status=active`, "memhtml-status says active, but the file is in the archive."},
		{"archive/2026/areas/a.html", `status=gone`, ""},
		{"areas/a.html", ``, ""},
		{"areas/a.html", `valid-from=2026-05-02 valid-until=2026-05-01`, "memhtml-valid-until 2026-05-01 is before memhtml-valid-from 2026-05-02."},
		{"areas/a.html", `valid-from=2026-05-02 valid-until=2026-05-02`, ""},
		{"areas/a.html", `valid-from=2026-05-02T08:00:00Z valid-until=2026-05-02`, ""},
		{"areas/a.html", `valid-from=2026-05-02 valid-until=2026-05-02T08:00:00Z`, ""},
		{
			"areas/a.html", `valid-from=2026-05-02T08:00:01Z valid-until=2026-05-02T08:00:00Z`,
			"memhtml-valid-until 2026-05-02T08:00:00Z is before memhtml-valid-from 2026-05-02T08:00:01Z.",
		},
		{"areas/a.html", `valid-from=2026-05-02 valid-until=0`, ""},
		{"areas/a.html", `valid-until=2026-05-02`, ""},
		{"archive/2026/areas/a.html", `valid-from=2026-05-02 valid-until=2026-05-01`, ""},
	}
	for _, tt := range tests {
		head := "<head>"
		for _, pair := range strings.Fields(tt.metas) {
			name, value, _ := strings.Cut(pair, "=")
			head += meta(name, value)
		}
		got := ""
		for _, f := range Find(Input{Snapshot: index.New(), File: parseFile(tt.path), Document: memory.Parse([]byte(head))}) {
			if f.Code == ArchiveStatus || f.Code == ValidityInverted {
				got += f.Message
			}
		}
		if got != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.path, tt.metas, got, tt.want)
		}
	}
}

func TestOutsideTheBuckets(t *testing.T) {
	const place = "This memory is not below projects, areas, resources or archive: memhtml does not see it."
	const name = "The name of this memory does not end in .html: memhtml does not see it."
	for path, want := range map[string]string{
		"areas/a.html":              "",
		"a.html":                    place,
		"areas.html":                place,
		"notes/deep/a.html":         place,
		"notes/areas/a.html":        place,
		"Areas/a.html":              place,
		"areas/a.HTML":              name,
		"archive/2026/areas/a.Html": name,
		"areas/index.html":          "",
		"index.html":                "",
	} {
		d := memory.Parse([]byte(`<head><title></title>` + meta("type", "semantic") + `</head>`))
		got, format := "", 0
		for _, f := range Find(Input{Snapshot: index.New(), File: index.FromDocument(path, d), Document: d}) {
			if f.Code == OutsideBuckets {
				got += f.Message
			} else {
				format++
			}
		}
		if got != want || want != "" && format == 0 {
			t.Errorf("%s: %q and %d about the format, want %q", path, got, format, want)
		}
	}
	page := memory.Parse([]byte("<title>The site</title><p>no memory"))
	if got := Find(Input{Snapshot: index.New(), File: index.FromDocument("README.html", page), Document: page}); got != nil {
		t.Errorf("a page that is no memory: %v", got)
	}
}
