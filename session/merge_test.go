package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

func metaLines(values ...string) string {
	var lines strings.Builder
	for i := 0; i < len(values); i += 2 {
		lines.WriteString(`<meta name="memhtml-` + values[i] + `" content="` + values[i+1] + `">` + "\n")
	}
	return lines.String()
}

func merge(keep, drop string) func(*Root) error {
	return func(r *Root) error {
		_, err := r.Merge(context.Background(), MergeRequest{Keep: keep, Drop: drop})
		return err
	}
}

func TestMergeUnitesWhatBothAreFiledUnder(t *testing.T) {
	files := map[string]string{
		a: claim("Gate a opens at 5", 1, metaLines("entity", "team:gates", "tag", "ops", "alias", "gate hours")),
		b: claim("Gate a opens at 5", 2, metaLines("entity", "team:gates", "entity", "place:yard", "tag", "ops", "tag", "yard", "alias", "opening")),
	}
	f := newFixture(t, files)
	result, err := f.root.Merge(context.Background(), MergeRequest{Keep: a, Drop: b})
	if err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(f.git("rev-parse", "HEAD"))
	want := MergeResult{Done: Done{Commit: &head, At: "2026-05-02T08:30:00Z", Dangling: noneDangle()}, Keep: a, Drop: b, ArchivePath: "archive/2026/" + b}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got)\n%s", diff)
	}
	kept, dropped := f.metas(a), f.metas("archive/2026/"+b)
	got := [][]string{
		kept.Entities, kept.Tags, kept.Aliases,
		{kept.Created, kept.Updated, kept.ValidFrom, kept.Status},
		{dropped.SupersededBy, dropped.ValidUntil, dropped.Status},
		dropped.Tags,
		{f.git("log", "-1", "--format=%s")},
	}
	now := "2026-05-02T08:30:00Z"
	if diff := cmp.Diff([][]string{
		{"team:gates", "place:yard"},
		{"ops", "yard"},
		{"gate hours", "opening"},
		{"2026-01-01T08:00:00Z", now, now, "active"},
		{"/" + a, now, "archived"},
		{"ops", "yard"},
		{"memhtml(merge): " + b + " into " + a + "\n"},
	}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	article := func(text string) string { return text[strings.Index(text, "<article>"):] }
	if article(f.read(a)) != article(files[a]) || article(f.read("archive/2026/"+b)) != article(files[b]) {
		t.Error("a text changed")
	}
	links := memory.Parse([]byte(f.read(a))).Links
	if len(links) != 1 || links[0].Rel != "supersedes" || links[0].Href != "/archive/2026/"+b {
		t.Errorf("links %+v", links)
	}
	f.want("after the commit")
	f.fsck()
	again, err := f.root.Merge(context.Background(), MergeRequest{Keep: a, Drop: b})
	want.Already, want.Dangling = true, nil
	if diff := cmp.Diff(want, again); err != nil || diff != "" {
		t.Errorf("again: %v (-want +got)\n%s", err, diff)
	}
}

// What brings nothing new does not count as an update.
func TestMergeOfNothingNewKeepsUpdated(t *testing.T) {
	f := newFixture(t, four())
	if err := merge(a, b)(f.root); err != nil {
		t.Fatal(err)
	}
	if got := f.metas(a).Updated; got != "2026-01-01T08:00:00Z" {
		t.Errorf("updated %s", got)
	}
}

func TestMergeKeepsLineEndingAndBOM(t *testing.T) {
	files := four()
	for path, text := range files {
		text = strings.Replace(text, "</head>", metaLines("tag", strings.ReplaceAll(path, "/", "-"))+"</head>", 1)
		files[path] = "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")
	}
	f := newFixture(t, files)
	if err := merge(a, b)(f.root); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{a, "archive/2026/" + b} {
		text := f.read(path)
		if !strings.HasPrefix(text, "\ufeff") || strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			t.Errorf("%s: %q", path, text)
		}
	}
	if tags := f.metas(a).Tags; len(tags) != 2 {
		t.Errorf("tags %q", tags)
	}
}

func TestMergeRefuses(t *testing.T) {
	refuse(t, four, []refusal{
		{"itself", nil, nil, merge(a, a), failure.RoleConflict},
		{"no keep", nil, nil, merge("areas/none.html", a), failure.PathNotFound},
		{"no drop", nil, nil, merge(a, "areas/none.html"), failure.PathNotFound},
		{"a task", map[string]string{"areas/t.html": task("Mend the gate")}, nil, merge(a, "areas/t.html"), failure.InvalidMemory},
		{"an archived one", map[string]string{"archive/2025/areas/x.html": claim("Old", 1)}, nil, merge("archive/2025/areas/x.html", a), failure.InvalidMemory},
		{"a broken one", map[string]string{d: "<p>half"}, nil, merge(a, d), failure.InvalidMemory},
		{"a taken archive", map[string]string{"archive/2026/" + b: claim("Old", 1)}, nil, merge(a, b), failure.DestinationExists},
		{"unsaved changes", nil, func(f *fixture) {
			f.root.Edit(Modification{Kind: Opened, Path: b, Text: []byte("<p>half"), Version: 1})
		}, merge(a, b), failure.DirtyDocument},
		{"a partial stage", nil, func(f *fixture) {
			f.write(a, f.read(a)+"<!-- one -->\n")
			f.git("add", a)
			f.write(a, f.read(a)+"<!-- two -->\n")
		}, merge(a, b), failure.GitState},
	})
}
