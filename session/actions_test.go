package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// offered lists the actions on the claim of path, and what is off about them.
func (f *fixture) offered(path string) []string {
	f.t.Helper()
	var lines []string
	for _, action := range f.actions(path, "<mark>") {
		line := action.Title
		if action.Preferred {
			line += " (preferred)"
		}
		if action.Disabled != "" {
			line += " [" + action.Disabled + "]"
		}
		lines = append(lines, line)
	}
	return lines
}

// actions asks at the first place where text stands.
func (f *fixture) actions(path, text string) []Action {
	f.t.Helper()
	source, err := f.root.View().Text(path)
	if err != nil {
		f.t.Fatal(err)
	}
	at := strings.Index(string(source), text)
	actions, err := f.root.View().Actions(path, memory.Span{Start: at, End: at})
	if err != nil {
		f.t.Fatal(err)
	}
	return actions
}

func TestActionsNameTheDirectionOnBothSides(t *testing.T) {
	files := pools()
	files["areas/copy.html"] = strings.Replace(files[third], "2026-01-03", "2026-01-09", 1)
	f := newFixture(t, files)
	conflict := func(with string) []string {
		return []string{
			"This supersedes " + with, with + " supersedes this", "Keep both: they contradict", "Keep both: related",
			"Compare with " + with, "Correct this memory", "Archive this memory",
		}
	}
	tests := []struct {
		path string
		want []string
	}{
		{other, conflict(pool)},
		{pool, conflict(other)},
		{"areas/copy.html", []string{
			"Archive this copy, keep " + third + " (preferred)",
			"This supersedes " + third, third + " supersedes this", "Merge into " + third, "Compare with " + third,
			"Correct this memory", "Archive this memory",
		}},
		{third, []string{
			"Archive this copy, keep areas/copy.html",
			"This supersedes areas/copy.html", "areas/copy.html supersedes this", "Merge areas/copy.html into this",
			"Compare with areas/copy.html", "Correct this memory", "Archive this memory",
		}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, f.offered(test.path)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.path, diff)
		}
	}
}

func TestActionsSayWhyTheyCannotBeTaken(t *testing.T) {
	f := newFixture(t, pools())
	f.root.Edit(Modification{Kind: Opened, Path: pool, Version: 1, Text: []byte(claim("The connection pool ceiling is 65", 1))})
	dirty := " [" + pool + " has unsaved changes.]"
	want := []string{
		"This supersedes " + pool + dirty, pool + " supersedes this" + dirty,
		"Keep both: they contradict" + dirty, "Keep both: related" + dirty,
		"Compare with " + pool, "Correct this memory", "Archive this memory",
	}
	if diff := cmp.Diff(want, f.offered(other)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestActionsWithoutGit(t *testing.T) {
	f := &fixture{t: t, dir: t.TempDir()}
	hermeticGit(t)
	for path, text := range pools() {
		f.write(path, text)
	}
	f.open()
	f.want("findings work", other+" frame-key-conflict "+pool)
	for _, action := range f.actions(other, "<mark>") {
		if _, compare := action.Request.(CompareRequest); action.Disabled == "" && !compare {
			t.Errorf("%q can be taken without a repository", action.Title)
		}
	}
	if err := archive(pool)(f.root); err == nil || !strings.Contains(err.Error(), "git") {
		t.Errorf("archive: %v", err)
	}
}

// An action still works when it is executed, and not after the file moved on.
func TestActionCarriesWhatItSaw(t *testing.T) {
	f := newFixture(t, pools())
	request := f.actions(other, "<mark>")[0].Request.(SupersedeRequest)
	f.write(other, claim("The connection pool ceiling is 256", 2))
	if _, err := f.root.Supersede(context.Background(), request); err == nil {
		t.Error("the file changed and the action went through")
	}
	f.root.Modify(Modification{Kind: Touched, Path: other})
	request = f.actions(other, "<mark>")[0].Request.(SupersedeRequest)
	if _, err := f.root.Supersede(context.Background(), request); err != nil {
		t.Error(err)
	}
}

func TestFixesMendTheirFinding(t *testing.T) {
	meta := func(name, content string) string { return fmt.Sprintf("<meta name=%q content=%q>\n", name, content) }
	base := claim("Drain a node before it is stopped", 3)
	archived := "archive/2025/areas/gone.html"
	tests := []struct {
		name, source, title, changed string
	}{
		{
			"stale hash", claim("Drain a node", 3, meta("memhtml-content-hash", "sha256:"+strings.Repeat("0", 64))),
			"Refresh the content hash", memory.Parse([]byte(claim("Drain a node", 3))).ContentHash.String(),
		},
		{
			"missing status", strings.Replace(base, meta("memhtml-status", "active"), "", 1),
			"Insert memhtml-status “active”", meta("memhtml-status", "active"),
		},
		{
			"missing updated", strings.Replace(base, meta("memhtml-updated", "2026-01-03T08:00:00Z"), "", 1),
			"Insert memhtml-updated “2026-05-02T08:30:00Z”", meta("memhtml-updated", "2026-05-02T08:30:00Z"),
		},
		{"unknown meta", claim("Drain a node", 3, meta("memhtml-mood", "good")), "Remove memhtml-mood", ""},
		{
			"archived target", claim("Drain a node", 3, `<link rel="memhtml-supports" href="/areas/gone.html">`+"\n"),
			"Point the link at its archived file", "/archive/2025/areas/gone.html",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{third: test.source, archived: claim("Gone", 1)})
			findings := f.findings(third)
			if len(findings) != 1 {
				t.Fatalf("findings %+v", findings)
			}
			actions, err := f.root.View().Actions(third, findings[0].Span)
			if err != nil || len(actions) == 0 || actions[0].Edit == nil || actions[0].Title != test.title {
				t.Fatalf("actions %+v, error %v", actions, err)
			}
			edit := actions[0].Edit
			mended := test.source[:edit.Span.Start] + edit.New + test.source[edit.Span.End:]
			if !strings.Contains(mended, test.changed) || test.changed == "" && strings.Contains(mended, "mood") {
				t.Errorf("mended to\n%s", mended)
			}
			f.write(third, mended)
			f.root.Modify(Modification{Kind: Touched, Path: third})
			if left := f.findings(third); len(left) != 0 {
				t.Errorf("after the fix: %+v\n%s", left, f.read(third))
			}
		})
	}
}

// Nobody can know the type of a memory.
func TestMissingTypeHasNoFix(t *testing.T) {
	f := newFixture(t, map[string]string{third: strings.Replace(claim("x", 1), `<meta name="memhtml-type" content="semantic">`, "", 1)})
	for _, action := range f.actions(third, "<head>") {
		if action.Edit != nil {
			t.Errorf("offered %q", action.Title)
		}
	}
}

// A link is pointed at what holds now where both can be written as they are.
func TestPointTheLinkAtTheSuccessor(t *testing.T) {
	const linker, archived = "areas/linker.html", "archive/2026/areas/gone.html"
	tests := []struct{ name, href, heir, want string }{
		{"plain", "/areas/gone.html", "areas/now.html", `href="/areas/now.html"`},
		{"what follows stays", "/areas/gone.html?x#y", "areas/now.html", `href="/areas/now.html?x#y"`},
		{"letters of any kind", "/areas/g%6Fne.html", "areas/über now.html", `href="/areas/über now.html"`},
		{"an href with a reference", "/areas/gone.html#a&amp;b", "areas/now.html", ""},
		{"a path with a percent sign", "/areas/gone.html", "areas/100%25.html", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source := claim("Drain a node", 3, `<link rel="memhtml-supports" href="`+test.href+`">`+"\n")
			f := newFixture(t, map[string]string{
				linker: source, archived: claim("Gone", 1),
				test.heir: claim("Now", 2, `<link rel="memhtml-supersedes" href="/`+archived+`">`+"\n"),
			})
			got := ""
			for _, action := range f.actions(linker, "memhtml-supports") {
				if action.Title == "Point the link at "+test.heir {
					got = source[:action.Edit.Span.Start] + action.Edit.New + source[action.Edit.Span.End:]
				}
			}
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("mended to\n%s", got)
			}
		})
	}
}

// A tab whose file a command had moved away ended the request for its actions in
// a panic.
func TestNoActionsForATabWithoutItsFile(t *testing.T) {
	f := newFixture(t, pools())
	text := []byte(f.read(pool))
	f.root.Modify(Modification{Kind: Opened, Path: pool, Text: text, Version: 1})
	if err := archive(pool)(f.root); err != nil {
		t.Fatal(err)
	}
	actions, err := f.root.View().Actions(pool, memory.Span{Start: 0, End: len(text)})
	if err != nil || len(actions) > 0 {
		t.Errorf("%v, %v", actions, err)
	}
}
