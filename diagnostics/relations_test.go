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

// TestRelations has a case for every rule of what two files have to do with
// each other. A file is its path and facts (see parseFile); a finding is
// "reporter code incumbent".
func TestRelations(t *testing.T) {
	tests := []struct {
		name  string
		files string
		want  string
	}{
		{
			"the later file reports and the earlier carries nothing", `
			areas/a.html text=x created=2026-02-01
			areas/b.html text=x created=2026-01-01`,
			`areas/a.html duplicate areas/b.html`,
		},
		{
			"the path decides between files of one date", `
			areas/b.html text=x
			areas/a.html text=x`,
			`areas/b.html duplicate areas/a.html`,
		},
		{
			"a copy that git does not know is later than the original, whatever its date", `
			areas/copy.html text=x created=2020-01-01 untracked
			areas/original.html text=x created=2026-01-01`,
			`areas/copy.html duplicate areas/original.html`,
		},
		{
			"an unsaved buffer is later than any saved file", `
			areas/buffer.html text=x created=2020-01-01 incoming=1
			areas/untracked.html text=x untracked`,
			`areas/buffer.html duplicate areas/untracked.html`,
		},
		{
			"of two unsaved buffers the later opened reports", `
			areas/a.html text=x incoming=2
			areas/b.html text=x incoming=1`,
			`areas/a.html duplicate areas/b.html`,
		},
		{
			"a saved file is pointed at before an unsaved buffer", `
			areas/a.html frame=pool:1 incoming=1
			areas/b.html frame=pool:2
			areas/c.html frame=pool:3 incoming=2`, `
			areas/a.html frame-key-conflict areas/b.html
			areas/c.html frame-key-conflict areas/b.html`,
		},
		{
			"a chain of copies points at the first holder", `
			areas/a.html text=x
			areas/b.html text=x
			areas/c.html text=x`, `
			areas/b.html duplicate areas/a.html
			areas/c.html duplicate areas/a.html`,
		},
		{
			"a chain of frames points at the first claimant", `
			areas/a.html frame=pool:64
			areas/b.html frame=pool:128
			areas/c.html frame=pool:64
			areas/d.html frame=pool:128`, `
			areas/b.html frame-key-conflict areas/a.html
			areas/c.html frame-key-restatement areas/a.html
			areas/d.html frame-key-conflict areas/a.html`,
		},
		{
			"another way to write the value is a restatement", `
			areas/a.html frame=limit:2GiB
			areas/b.html frame=limit:2048MiB
			areas/c.html frame=limit:2048MB`, `
			areas/b.html frame-key-restatement areas/a.html
			areas/c.html frame-key-conflict areas/a.html`,
		},
		{
			"a duplicate is no frame finding as well", `
			areas/a.html text=x frame=pool:64
			areas/b.html text=x frame=pool:64`,
			`areas/b.html duplicate areas/a.html`,
		},
		{
			"a normalized duplicate is no frame finding as well", `
			areas/a.html text=x normal=n frame=pool:64
			areas/b.html text=y normal=n frame=pool:65`,
			`areas/b.html duplicate-normalized areas/a.html`,
		},
		{
			"a duplicate is no normalized one as well", `
			areas/a.html text=x normal=n
			areas/b.html text=x normal=n`,
			`areas/b.html duplicate areas/a.html`,
		},
		{
			"precedence is by pair: a copy still conflicts with a third file", `
			areas/a.html text=x frame=pool:1
			areas/b.html text=y frame=pool:2
			areas/c.html text=y frame=pool:2`, `
			areas/b.html frame-key-conflict areas/a.html
			areas/c.html duplicate areas/b.html
			areas/c.html frame-key-conflict areas/a.html`,
		},
		{
			"a copy of the first claimant leaves the others to it", `
			areas/a.html text=x frame=pool:1
			areas/b.html text=y frame=pool:2
			areas/c.html text=x frame=pool:1`, `
			areas/b.html frame-key-conflict areas/a.html
			areas/c.html duplicate areas/a.html`,
		},
		{
			"articles with pre have no second tier", `
			areas/a.html text=x pre
			areas/b.html text=y pre`,
			``,
		},
		{
			"a link of the later file settles a conflict", `
			areas/a.html frame=pool:1
			areas/b.html frame=pool:2 link=contradicts:areas/a.html`,
			``,
		},
		{
			"a link of the earlier file settles a restatement", `
			areas/a.html frame=pool:1 link=laterally_related:areas/b.html
			areas/b.html frame=pool:1`,
			``,
		},
		{
			"a loser that comes back is judged again", `
			areas/a.html frame=pool:1
			areas/b.html frame=pool:2 link=supersedes:archive/2025/areas/a.html`,
			`areas/b.html frame-key-conflict areas/a.html`,
		},
		{
			"a link in percent-encoded form settles too", `
			areas/a.html frame=pool:1
			areas/b.html frame=pool:2 link=supports:areas/%61.html|areas/a.html`,
			``,
		},
		{
			"a link that is not between memories settles nothing", `
			areas/a.html frame=pool:1
			areas/b.html frame=pool:2 link=about_person:areas/a.html`,
			`areas/b.html frame-key-conflict areas/a.html`,
		},
		{
			"a link settles no duplicate", `
			areas/a.html text=x frame=pool:1
			areas/b.html text=x frame=pool:1 link=relates_to:areas/a.html`,
			`areas/b.html duplicate areas/a.html`,
		},
		{
			"a settled pair does not hide the next claimant", `
			areas/a.html frame=pool:1
			areas/b.html frame=pool:2
			areas/c.html frame=pool:3 link=contradicts:areas/a.html`, `
			areas/b.html frame-key-conflict areas/a.html
			areas/c.html frame-key-conflict areas/b.html`,
		},
		{
			"a copy of a settled claimant does not reopen the question", `
			areas/a.html text=x frame=pool:1
			areas/b.html text=x frame=pool:1
			areas/c.html text=y frame=pool:3 link=contradicts:areas/a.html`,
			`areas/b.html duplicate areas/a.html`,
		},
		{
			"tasks never take part, on either side", `
			areas/a.html text=x frame=pool:1 type=task
			areas/b.html text=x frame=pool:1 type=task
			areas/c.html text=x frame=pool:2`,
			``,
		},
		{
			"archived files never take part", `
			archive/2026/areas/a.html text=x frame=pool:1
			archive/2026/areas/c.html text=x frame=pool:1
			areas/b.html text=x frame=pool:2`,
			``,
		},
		{
			"files against the format never take part", `
			areas/a.html text=x frame=pool:1 refused
			areas/b.html text=x frame=pool:2`,
			``,
		},
		{
			"an unmerged file is compared with nothing and nothing with it", `
			areas/a.html text=x frame=pool:1 unmerged
			areas/b.html text=x frame=pool:2
			areas/c.html text=x frame=pool:2`, `
			areas/a.html merge-markers 
			areas/c.html duplicate areas/b.html`,
		},
		{
			"episodic files take part as any", `
			areas/a.html text=x type=episodic
			areas/b.html text=x type=episodic
			areas/c.html text=y frame=pool:1 type=episodic
			areas/d.html text=z frame=pool:2 type=episodic`, `
			areas/b.html duplicate areas/a.html
			areas/d.html frame-key-conflict areas/c.html`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			snap := corpusOf(tt.files)
			var got []string
			for f := range snap.All() {
				for _, d := range Find(Input{Snapshot: snap, File: f}) {
					got = append(got, fmt.Sprintf("%s %s %s", d.Path, d.Code, d.Data.Other))
				}
			}
			if diff := cmp.Diff(lines(tt.want), got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPairsAgreeFromBothSides asks every file of a tangle for its pairs: what
// one file says of another the other says of it.
func TestPairsAgreeFromBothSides(t *testing.T) {
	snap := corpusOf(`
		areas/a.html text=x frame=pool:1
		areas/b.html text=y frame=pool:2
		areas/c.html text=y frame=pool:2
		areas/d.html text=z frame=pool:3 link=contradicts:areas/a.html
		areas/e.html text=v normal=n
		areas/f.html text=w normal=n
		areas/g.html text=u unmerged`)
	sides := map[string]int{}
	for f := range snap.All() {
		for _, p := range Pairs(snap, f) {
			sides[fmt.Sprintf("%s %s %s", p.Reporter.Path, p.Code, p.Incumbent.Path)]++
		}
	}
	want := map[string]int{
		"areas/b.html frame-key-conflict areas/a.html":   2,
		"areas/c.html duplicate areas/b.html":            2,
		"areas/c.html frame-key-conflict areas/a.html":   2,
		"areas/d.html frame-key-conflict areas/b.html":   2,
		"areas/f.html duplicate-normalized areas/e.html": 2,
	}
	if diff := cmp.Diff(want, sides); diff != "" {
		t.Errorf("pairs and from how many sides they are told (-want +got):\n%s", diff)
	}
}

func TestMirrorHint(t *testing.T) {
	snap := corpusOf(`
		areas/a.html text=x frame=pool:1
		areas/b.html text=y frame=pool:2
		areas/c.html text=x frame=pool:1
		areas/d.html text=z frame=pool:1`)
	got := Find(Input{Snapshot: snap, File: snap.File("areas/a.html"), Options: Options{Mirror: MirrorHint}})
	var told []string
	for _, f := range got {
		told = append(told, fmt.Sprintf("%s %s mirror=%v: %s", f.Severity, f.Code, f.Data.Mirror, f.Message))
	}
	want := []string{
		"hint duplicate mirror=true: areas/c.html has the same text as this memory.",
		"hint frame-key-conflict mirror=true: Two values for “pool”: 1 here, 2 in areas/b.html.",
		"hint frame-key-restatement mirror=true: areas/d.html says again what this memory says: “pool” 1.",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("hints on the incumbent (-want +got):\n%s", diff)
	}
	off := Options{Mirror: MirrorHint, Severities: map[Code]Severity{"duplicate": Off, "frame-key-conflict": Off, "frame-key-restatement": Off}}
	if got := Find(Input{Snapshot: snap, File: snap.File("areas/a.html"), Options: off}); got != nil {
		t.Errorf("hints of codes that are off: %v", got)
	}
}

func TestRelationsAreCapped(t *testing.T) {
	for n, want := range map[int]int{19: 19, 20: 20, 21: 21, 60: 21} {
		files := "areas/a.html frame=pool:0\n"
		for i := range n {
			files += fmt.Sprintf("areas/b%02d.html frame=pool:%d\n", i, i)
		}
		snap := corpusOf(files)
		got := Find(Input{Snapshot: snap, File: snap.File("areas/a.html"), Options: Options{Mirror: MirrorHint}})
		summaries := 0
		for _, f := range got {
			if f.Code == MoreRelations {
				summaries++
			}
		}
		if len(got) != want || (summaries == 1) != (n > pairLimit) {
			t.Errorf("%d relations: %d findings with %d summaries, want %d", n, len(got), summaries, want)
		}
	}
}

func TestDuplicateShowsTenHoldersAndCountsTheRest(t *testing.T) {
	var files strings.Builder
	for i := range 14 {
		fmt.Fprintf(&files, "areas/%02d.html text=x created=2026-01-%02d\n", i, i+1)
	}
	snap := corpusOf(files.String())
	got := Find(Input{Snapshot: snap, File: snap.File("areas/03.html")})
	if len(got) != 1 || len(got[0].Related) != relatedLimit || got[0].Data.Holders != 14 {
		t.Fatalf("got %+v, want one finding with %d related places and 14 holders", got, relatedLimit)
	}
	if first, fourth := got[0].Related[0].Path, got[0].Related[3].Path; first != "areas/00.html" || fourth != "areas/04.html" {
		t.Errorf("related begins %s … %s, want the oldest first and not the file itself", first, fourth)
	}
	const want = "Same text as areas/00.html (since 2026-01-01). memhtml cannot index both. 14 files hold it."
	if got[0].Message != want {
		t.Errorf("message %q, want %q", got[0].Message, want)
	}
}

// A file being typed in may have violations while its relations are those of
// its last good text.
func TestRelationsRestOnTheFileNotOnTheDocument(t *testing.T) {
	snap := corpusOf("areas/a.html text=x\nareas/b.html text=x")
	got := Find(Input{Snapshot: snap, File: snap.File("areas/b.html"), Document: memory.Parse([]byte("<article><p><mark>half a"))})
	if !slices.ContainsFunc(got, func(f Finding) bool { return f.Code == Duplicate }) {
		t.Errorf("no duplicate in %v", got)
	}
	if !slices.ContainsFunc(got, func(f Finding) bool { return f.Code == TitleCount }) {
		t.Errorf("no title-count in %v", got)
	}
}

func lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if line = strings.Trim(line, "\t\n"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func corpusOf(files string) *index.Snapshot {
	var all []*index.File
	for _, line := range lines(files) {
		all = append(all, parseFile(line))
	}
	return index.Build(all)
}

// parseFile reads a path and facts: text and normal name a content, frame is
// key:value, link is rel:target or rel:target|alternate, task the status of a
// task, until memhtml-valid-until and by memhtml-superseded-by. A file without a text
// has one of its own; one without a normal has its text's.
func parseFile(line string) *index.File {
	fields := strings.Fields(line)
	f := &index.File{Path: fields[0], Type: "semantic", Created: "2026-01-01", Accepted: true, Tracked: true, Gist: "Claim of " + fields[0]}
	var life index.Life
	text, normal, pre := f.Path, "", false
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "text":
			text = value
		case "normal":
			normal = value
		case "pre":
			pre = true
		case "created":
			f.Created = value
		case "type":
			f.Type = value
		case "untracked":
			f.Tracked = false
		case "refused":
			f.Accepted = false
		case "unmerged":
			f.Unmerged = true
		case "incoming":
			fmt.Sscan(value, &f.Incoming)
		case "frame":
			f.FrameKey, f.ShownValue, _ = strings.Cut(value, ":")
			f.FrameValue = f.ShownValue
		case "task":
			f.Type, life.TaskStatus = "task", value
		case "due":
			life.Due = value
		case "until":
			life.ValidUntil = value
		case "by":
			life.SupersededBy = value
		case "link":
			rel, target, _ := strings.Cut(value, ":")
			target, alternate, _ := strings.Cut(target, "|")
			f.Links = append(f.Links, index.Link{Rel: rel, Target: target, Alternate: alternate})
		default:
			panic("unknown fact " + field)
		}
	}
	if life != (index.Life{}) {
		f.Life = &life
	}
	copy(f.ContentHash[:], text)
	if !pre {
		copy(f.NormalHash[:], "~"+text)
		if normal != "" {
			copy(f.NormalHash[:], normal+strings.Repeat(" ", 32))
		}
	}
	return f
}
