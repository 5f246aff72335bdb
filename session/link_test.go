package session

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

func task(text string) string {
	return strings.Replace(claim(text, 4, `<meta name="memhtml-task-status" content="todo">`+"\n"), "semantic", "task", 1)
}

func link(source, rel, target string) func(*Root) error {
	return func(r *Root) error {
		_, err := r.Link(context.Background(), LinkRequest{Source: source, Rel: rel, Target: target})
		return err
	}
}

func TestLinkIsOneCommitAndThenAlready(t *testing.T) {
	f := newFixture(t, four())
	result, err := f.root.Link(context.Background(), LinkRequest{Source: a, Rel: "caused-by", Target: "/" + b})
	if err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(result)
	head := strings.TrimSpace(f.git("rev-parse", "HEAD"))
	want := `{"commit":"` + head + `","at":"2026-05-02T08:30:00Z","src":"` + a + `","rel":"caused_by","dst":"` + b + `","added":true}`
	if string(data) != want {
		t.Errorf("result %s\nwant   %s", data, want)
	}
	if got := f.git("log", "-1", "--format=%s"); got != "memhtml(link): caused_by "+a+" -> "+b+"\n" {
		t.Errorf("subject %q", got)
	}
	line := `+<link rel="memhtml-caused-by" href="/` + b + `">`
	if diff := f.git("show", "--format=", "-U0", "--stat=0", "-p", "HEAD"); !strings.Contains(diff, line) || strings.Count(diff, "\n+") != 2 {
		t.Errorf("diff\n%s", diff)
	}
	before := f.state()
	again, err := f.root.Link(context.Background(), LinkRequest{Source: a, Rel: "caused_by", Target: b})
	if err != nil || !again.Already || again.Added || again.Commit != nil {
		t.Errorf("again: %+v, %v", again, err)
	}
	if f.state() != before {
		t.Error("linking again changed something")
	}
}

func TestLinkClasses(t *testing.T) {
	files := four()
	files["areas/inbox/tasks/t.html"], files["areas/inbox/tasks/u.html"] = task("Mend the gate"), task("Paint the gate")
	files["archive/2025/areas/old.html"] = claim("Old", 1)
	const x, y = "areas/inbox/tasks/t.html", "areas/inbox/tasks/u.html"
	f := newFixture(t, files)
	for _, allowed := range [][3]string{
		{a, "supports", b},
		{a, "relates_to", "archive/2025/areas/old.html"},
		{x, "blocks", y},
		{x, "subtask_of", y},
		{x, "about_person", a},
		{x, "from_session", "traces/s-1.html"},
	} {
		if err := link(allowed[0], allowed[1], allowed[2])(f.root); err != nil {
			t.Errorf("%v: %v", allowed, err)
		}
	}
	f.fsck()
	refuse(t, func() map[string]string { return files }, []refusal{
		{"a task in a memory relation", nil, nil, link(a, "supports", x), failure.InvalidMemory},
		{"from a task", nil, nil, link(x, "supports", a), failure.InvalidMemory},
		{"a memory in a task relation", nil, nil, link(x, "blocks", a), failure.InvalidMemory},
		{"from a memory", nil, nil, link(a, "subtask_of", x), failure.InvalidMemory},
		{"itself", nil, nil, link(a, "supports", "/"+a), failure.RoleConflict},
		{"no such relation", nil, nil, link(a, "likes", b), failure.InvalidFlag},
		{"no source", nil, nil, link("areas/none.html", "supports", b), failure.PathNotFound},
		{"no target", nil, nil, link(a, "supports", "areas/none.html"), failure.PathNotFound},
		{"no person", nil, nil, link(a, "about_person", "resources/people/none.html"), failure.PathNotFound},
		{"an archived source", nil, nil, link("archive/2025/areas/old.html", "supports", a), failure.InvalidMemory},
		{"a session outside", nil, nil, link(a, "from_session", "../s.html"), failure.PathNotFound},
		{"unsaved changes of the target", nil, func(f *fixture) {
			f.root.Edit(Modification{Kind: Opened, Path: b, Text: []byte("<p>half"), Version: 1})
		}, link(a, "supports", b), failure.DirtyDocument},
	})
}

// A file that a command names is committed as it is on disk (D18), its target
// too: a link in a commit must not hang in the air.
func TestLinkCommitsWhatItNames(t *testing.T) {
	f := newFixture(t, four())
	f.write("areas/new.html", claim("Gate e opens at 9", 9))
	if err := link(a, "supports", "areas/new.html")(f.root); err != nil {
		t.Fatal(err)
	}
	if got := f.git("status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	saved := strings.Replace(f.read(b), "</head>", `<link rel="memhtml-supports" href="/`+c+`">`+"\n</head>", 1)
	f.write(b, saved)
	result, err := f.root.Link(context.Background(), LinkRequest{Source: b, Rel: "supports", Target: c})
	if err != nil || !result.Added || result.Commit == nil || f.read(b) != saved {
		t.Errorf("a link that was saved by hand: %+v, %v", result, err)
	}
}

// An href ends at '?' and '#'; a path with one is written so that readers find
// the file.
func TestLinkToAPathThatHrefsCut(t *testing.T) {
	files := four()
	const odd = "areas/what #1?.html"
	files[odd] = claim("Gate e opens at 9", 9)
	f := newFixture(t, files)
	if err := link(a, "supports", odd)(f.root); err != nil {
		t.Fatal(err)
	}
	f.want("the link is not dangling")
	if result, err := f.root.Link(context.Background(), LinkRequest{Source: a, Rel: "supports", Target: odd}); err != nil || !result.Already {
		t.Errorf("again: %+v, %v", result, err)
	}
}

func TestKeepBothChoosesByWhatTheySay(t *testing.T) {
	tests := []struct{ name, rel, source, target, want string }{
		{"two values for one slot", "", other, pool, "contradicts"},
		{"nothing in common", "", third, pool, "laterally_related"},
		{"as asked", "relates-to", other, pool, "relates_to"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, pools())
			result, err := f.root.KeepBoth(context.Background(), LinkRequest{Source: test.source, Rel: test.rel, Target: test.target})
			if err != nil || result.Rel != test.want {
				t.Fatalf("%+v, %v", result, err)
			}
			if warned := len(result.Warnings) == 1; warned != (test.want == "contradicts") {
				t.Errorf("warnings %q", result.Warnings)
			}
			if test.source == other {
				f.want("the pair is settled")
			}
		})
	}
	f := newFixture(t, pools())
	_, err := f.root.KeepBoth(context.Background(), LinkRequest{Source: other, Rel: "supersedes", Target: pool})
	if failure.CodeOf(err) != failure.InvalidFlag {
		t.Errorf("another relation: %v", err)
	}
}
