package session

import (
	"context"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// There was no way to take a relation away but to edit the file, least of all
// one that leads nowhere.
func TestUnlinkIsOneCommitAndThenAlready(t *testing.T) {
	const odd = "areas/50%.html"
	links := `<link rel="memhtml-relates-to" href="/areas/gone.html">` + "\n" +
		`<link rel="memhtml-relates-to" href="/areas/50%25.html">` + "\n" +
		`<link rel="memhtml-relates_to" href="/areas/50%.html">` + "\n" +
		`<link rel="memhtml-supports" href="/` + a + `">` + "\n"
	files := four()
	files[a] = claim("The gate closes at ten", 1, links)
	for _, test := range []struct {
		rel, target string
		lines       int
	}{{"memhtml-relates-to", "areas/gone.html", 1}, {"relates_to", odd, 2}, {"supports", a, 1}} {
		target := test.target
		f := newFixture(t, files)
		request := LinkRequest{Source: a, Rel: test.rel, Target: "/" + target, Remove: true, SessionID: "s1"}
		result, err := f.root.Link(context.Background(), request)
		if err != nil || result.Commit == nil || !result.Removed || result.Added {
			t.Fatalf("%s: %+v, %v", target, result, err)
		}
		want := "memhtml(link): remove " + result.Rel + " " + a + " -> " + target + "\n\nMemhtml-Session: s1\n\n"
		if got := f.git("log", "-1", "--format=%B"); got != want {
			t.Errorf("message %q, want %q", got, want)
		}
		if diff := f.git("show", "--format=", "-U0", "HEAD"); strings.Contains(diff, "\n+<") || strings.Count(diff, "\n-<") != test.lines {
			t.Errorf("%s:\n%s", target, diff)
		}
		before := f.state()
		again, err := f.root.Link(context.Background(), request)
		if err != nil || !again.Already || again.Removed || f.state() != before {
			t.Errorf("%s again: %+v, %v", target, again, err)
		}
	}
}

// The form that a file has was refused, and what was typed was told as another
// word.
func TestRelationsAreTakenAsTheyAreWritten(t *testing.T) {
	for _, rel := range []string{"caused_by", "caused-by", "memhtml-caused-by", "memhtml_caused_by", "memhtml-caused_by"} {
		f := newFixture(t, four())
		result, err := f.root.Link(context.Background(), LinkRequest{Source: a, Rel: rel, Target: b})
		if err != nil || result.Rel != "caused_by" {
			t.Errorf("%s: %+v, %v", rel, result, err)
		}
	}
	f := newFixture(t, four())
	for _, rel := range []string{"blocked-by", "memhtml-blocked-by", "suports"} {
		_, err := f.root.Link(context.Background(), LinkRequest{Source: a, Rel: rel, Target: b})
		if failure.CodeOf(err) != failure.InvalidFlag || !strings.Contains(err.Error(), "no relation "+rel+".") {
			t.Errorf("%v", err)
		}
		if nearest := strings.Contains(err.Error(), " Nearest is supports."); nearest != (rel == "suports") {
			t.Errorf("%v", err)
		}
	}
	_, err := f.root.KeepBoth(context.Background(), LinkRequest{Source: a, Rel: "part-of", Target: b})
	if err == nil || !strings.Contains(err.Error(), "part-of does not keep") {
		t.Errorf("%v", err)
	}
	if kept, err := f.root.KeepBoth(context.Background(), LinkRequest{Source: a, Rel: "memhtml-relates-to", Target: b}); err != nil || kept.Rel != "relates_to" {
		t.Errorf("%+v, %v", kept, err)
	}
}

// A file that does not exist was said to be in the archive already.
func TestAMissingFileOfTheArchiveIsMissing(t *testing.T) {
	const none = "archive/2026/areas/none.html"
	f := newFixture(t, four())
	before, ctx := f.digest(), context.Background()
	for name, run := range map[string]func() error{
		"archive":         func() error { _, err := f.root.Archive(ctx, ArchiveRequest{Path: none}); return err },
		"correct":         func() error { _, err := f.root.Correct(ctx, CorrectRequest{Target: none, Claim: "x"}); return err },
		"correctFromEdit": func() error { _, err := f.root.CorrectFromEdit(ctx, CorrectFromEditRequest{Path: none}); return err },
		"update":          func() error { _, err := f.root.Update(ctx, UpdateRequest{Path: none, Tags: []string{"x"}}); return err },
		"supersede":       func() error { _, err := f.root.Supersede(ctx, SupersedeRequest{Winner: none, Loser: b}); return err },
		"supersede it":    func() error { _, err := f.root.Supersede(ctx, SupersedeRequest{Winner: b, Loser: none}); return err },
		"merge":           func() error { _, err := f.root.Merge(ctx, MergeRequest{Keep: a, Drop: none}); return err },
		"link": func() error {
			_, err := f.root.Link(ctx, LinkRequest{Source: none, Rel: "supports", Target: b})
			return err
		},
	} {
		if err := run(); failure.CodeOf(err) != failure.PathNotFound || !strings.HasSuffix(err.Error(), none+" does not exist.") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f.digest() != before {
		t.Error("a refusal changed something")
	}
}
