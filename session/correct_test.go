package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

const now = "2026-05-02T08:30:00Z"

func correct(request CorrectRequest) func(*Root) error {
	return func(r *Root) error {
		_, err := r.Correct(context.Background(), request)
		return err
	}
}

// body is the commit message below its subject.
func (f *fixture) body() string { return strings.TrimSpace(f.git("log", "-1", "--format=%b")) }

func (f *fixture) subject() string { return strings.TrimSpace(f.git("log", "-1", "--format=%s")) }

func TestCorrectInherits(t *testing.T) {
	const target, place = "projects/yard/gate.html", "projects/yard/gate-2.html"
	old := claim("The yard gate code is 4711", 1, metaLines(
		"confidence", "0.70", "importance", "8", "author", "eve", "session", "s-0", "valid-from", "2026-01-01",
		"entity", "place:yard", "tag", "gates", "tag", "codes", "alias", "gate code"))
	roots(t, map[string]string{target: old, a: claim("Gate a opens at 5", 2)}, func(t *testing.T, f *fixture, root *Root) {
		result, err := root.Correct(context.Background(), CorrectRequest{
			Target: "/" + target, Claim: "The yard gate code is 1291", Body: []string{"It was changed in May."},
			Reason: "The lock was changed.\nAsk Ada.", SessionID: "s-1", PromptID: "p-1", TurnUUID: "t-1",
		})
		if err != nil {
			t.Fatal(err)
		}
		result.Dangling = nil // told in an indexed root alone
		data, _ := json.Marshal(result)
		doc := memory.Parse([]byte(f.read(place)))
		want := `{"commit":"` + f.head() + `","at":"` + now + `","path":"` + place + `","archivedPath":"archive/2026/` + target +
			`","contentHash":"` + doc.ContentHash.String() + `"}`
		if string(data) != want {
			t.Errorf("result %s\nwant   %s", data, want)
		}
		confidence, importance := 0.7, 8
		metas := memory.Metas{
			Type: "semantic", Status: "active", Created: now, Updated: now, ContentHash: doc.ContentHash.String(),
			Confidence: &confidence, Importance: &importance, Session: "s-1", Prompt: "p-1", Turn: "t-1", ValidFrom: now,
			Entities: []string{"place:yard"}, Tags: []string{"gates", "codes"}, Aliases: []string{"gate code"},
		}
		got := doc.Metas
		if diff := cmp.Diff(metas, got, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".present" }, cmp.Ignore())); diff != "" {
			t.Errorf("metas (-want +got)\n%s", diff)
		}
		if doc.Title != "The yard gate code is 4711" || doc.Gist != "The yard gate code is 1291" {
			t.Errorf("title %q, claim %q", doc.Title, doc.Gist)
		}
		if len(doc.Links) != 1 || doc.Links[0].Rel != "supersedes" || doc.Links[0].Href != "/archive/2026/"+target {
			t.Errorf("links %+v", doc.Links)
		}
		archived := f.metas("archive/2026/" + target)
		stamps := []string{archived.Status, archived.Updated, archived.Archived, archived.ValidFrom, archived.ValidUntil, archived.SupersededBy}
		if diff := cmp.Diff([]string{"archived", now, now, "2026-01-01", now, "/" + place}, stamps); diff != "" {
			t.Errorf("archived (-want +got)\n%s", diff)
		}
		if got := f.subject(); got != "memhtml(correct): The yard gate code is 4711" {
			t.Errorf("subject %q", got)
		}
		if want := "The lock was changed. Ask Ada.\n\nMemhtml-Session: s-1\nMemhtml-Prompt: p-1"; f.body() != want {
			t.Errorf("body %q", f.body())
		}
		if got := f.git("status", "--porcelain"); got != "" {
			t.Errorf("status %q", got)
		}
		f.fsck()
	})
}

func TestCorrectHandsValidityOver(t *testing.T) {
	until := func(date string) string { return metaLines("valid-until", date) }
	tests := []struct {
		name, metas, html, from string
		wantFrom, wantTo        string
	}{
		{"from now", "", "<p><mark>New</mark></p>", "", now, now},
		{"from the event", "", `<p><mark>New</mark> since <time datetime="2026-03-04">March</time></p>`, "", "2026-03-04", "2026-03-04"},
		{"from what was said", "", `<p><mark>New</mark> since <time datetime="2026-03-04">March</time></p>`, "2026-02-03", "2026-02-03", "2026-02-03"},
		{"an earlier end stays", until("2025-01-01"), "<p><mark>New</mark></p>", "", now, "2025-01-01"},
		{"a later end does not", until("2030-01-01"), "<p><mark>New</mark></p>", "2026-02-03", "2026-02-03", "2026-02-03"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{a: claim("Old", 1, test.metas)})
			if err := correct(CorrectRequest{Target: a, ArticleHTML: test.html, ValidFrom: test.from})(f.root); err != nil {
				t.Fatal(err)
			}
			got := []string{f.metas("areas/a-2.html").ValidFrom, f.metas("archive/2026/" + a).ValidUntil}
			if diff := cmp.Diff([]string{test.wantFrom, test.wantTo}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCorrectPlaces(t *testing.T) {
	tagged := strings.Replace(claim("Gate a opens at 5", 1, metaLines("tag", "Yard Work")), "semantic", "procedural", 1)
	tests := []struct {
		name, target, source string
		request              CorrectRequest
		want                 string
	}{
		{"beside its target", a, claim("x", 1), CorrectRequest{}, "areas/a-2.html"},
		{"beside it, with the next number", "areas/ops/gate-hours-7.html", claim("Gate hours", 1), CorrectRequest{}, "areas/ops/gate-hours.html"},
		{"a number that is no ordinal", "areas/floor-2.html", claim("x", 1), CorrectRequest{}, "areas/floor-2-2.html"},
		{"a number in the title", "areas/inbox/taken-2.html", claim("Taken 2", 1), CorrectRequest{}, "areas/inbox/taken-2-2.html"},
		{"an ordinal by its neighbour", "areas/inbox/taken-7.html", claim("x", 1), CorrectRequest{}, "areas/inbox/taken-8.html"},
		{"a date in front", "areas/inbox/20260102-gate.html", claim("x", 1), CorrectRequest{}, "areas/inbox/20260102-gate-2.html"},
		{"a name that is no slug", "areas/Über Gate.html", claim("x", 1), CorrectRequest{}, "areas/uber-gate.html"},
		{"a name that only the generator has", "areas/Index.html", claim("x", 1), CorrectRequest{}, "areas/index-2.html"},
		{"a long name", "areas/" + strings.Repeat("x", 80) + ".html", claim("x", 1), CorrectRequest{}, "areas/" + strings.Repeat("x", 78) + "-2.html"},
		{"by its title", a, claim("x", 1), CorrectRequest{Title: "Gate hours"}, "areas/inbox/gate-hours.html"},
		{"by its first tag", a, tagged, CorrectRequest{Title: "Gate hours"}, "resources/yard-work/gate-hours.html"},
		{"in its workspace", "projects/yard/deep/x.html", claim("x", 1), CorrectRequest{Title: "Gate hours"}, "projects/yard/gate-hours.html"},
		{"by a title with a place in the archive alone", a, claim("x", 1), CorrectRequest{Title: "Gone"}, "areas/inbox/gone-2.html"},
		{"by its own title", "areas/inbox/gate-hours.html", claim("x", 1), CorrectRequest{Title: "Gate hours"}, "areas/inbox/gate-hours-2.html"},
		{"beside another", a, claim("x", 1), CorrectRequest{Title: "Taken"}, "areas/inbox/taken-2.html"},
		{"by type", a, claim("x", 1), CorrectRequest{Title: "Gate hours", Type: "episodic"}, "areas/inbox/20260502-gate-hours.html"},
		{"as asked", a, claim("x", 1), CorrectRequest{Path: "areas/ops/gate.html"}, "areas/ops/gate.html"},
		{"as asked, where it was", a, claim("x", 1), CorrectRequest{Title: "Gate hours", Path: "/" + a}, a},
		{"an arc", a, strings.Replace(claim("x", 1), "semantic", "arc", 1), CorrectRequest{Title: "Gate hours"}, "areas/arcs/gate-hours.html"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{test.target: test.source, "areas/inbox/taken.html": claim("Taken", 2), "archive/2026/areas/inbox/gone.html": archivedClaim("Gone", 3)})
			test.request.Target, test.request.Claim = test.target, "Gate a opens at 6"
			result, err := f.root.Correct(context.Background(), test.request)
			if err != nil {
				t.Fatal(err)
			}
			if result.Path != test.want || f.metas(test.want).Status != "active" || f.metas("archive/2026/"+test.target).SupersededBy != "/"+test.want {
				t.Errorf("%+v, want %s", result, test.want)
			}
			f.want("after the commit")
		})
	}
}

// A fact changes as often as it does: every version has a place of its own in
// the archive, and git and undo know all of them.
func TestCorrectFiveTimesInAYear(t *testing.T) {
	for _, how := range []struct {
		name, title string
		edited      bool
	}{{name: "beside it"}, {name: "by its title", title: "Gate hours"}, {name: "edited in place", edited: true}} {
		t.Run(how.name, func(t *testing.T) {
			roots(t, four(), func(t *testing.T, f *fixture, root *Root) {
				body := []string{"That is new.", strings.TrimSpace(strings.Repeat("It is told of gate a. ", 30))}
				before, path, archived, commits := f.tree(), a, map[string]bool{}, []string{}
				for i := range 5 {
					text := fmt.Sprintf("Gate a opens at %d", i+6)
					var result CorrectResult
					var err error
					if how.edited {
						f.write(path, strings.Replace(f.read(path), fmt.Sprintf("<mark>Gate a opens at %d", i+5), "<mark>"+text, 1))
						result, err = root.CorrectFromEdit(context.Background(), CorrectFromEditRequest{Path: path})
					} else {
						result, err = root.Correct(context.Background(), CorrectRequest{Target: path, Title: how.title, Claim: text, Body: body})
					}
					if err != nil {
						t.Fatalf("correction %d: %v", i+1, err)
					}
					if result.ArchivedPath != "archive/2026/"+path || archived[result.ArchivedPath] {
						t.Errorf("correction %d archived %s", i+1, result.ArchivedPath)
					}
					archived[result.ArchivedPath] = true
					if got := f.metas(result.ArchivedPath).SupersededBy; got != "/"+result.Path {
						t.Errorf("superseded by %s, not by %s", got, result.Path)
					}
					if n := strings.Count(f.read(result.Path), `rel="memhtml-supersedes"`); n != 1 {
						t.Errorf("correction %d supersedes %d memories", i+1, n)
					}
					f.follows(result.ArchivedPath)
					path, commits = result.Path, append(commits, *result.Commit)
				}
				if how.title == "" && path != "areas/a-6.html" {
					t.Errorf("the last one is %s", path)
				}
				f.follows(path)
				f.fsck()
				if got := f.git("status", "--porcelain"); got != "" {
					t.Errorf("status %q", got)
				}
				for _, commit := range slices.Backward(commits) {
					if err := undo(commit)(root); err != nil {
						t.Fatal(err)
					}
					f.git("checkout", "-q", ".") // an edit in place is one again
				}
				if got := f.tree(); got != before {
					t.Errorf("undone:\n%s", f.git("diff", before, got))
				}
			})
		})
	}
}

// In another year the plain name is free again.
func TestCorrectInTheNextYear(t *testing.T) {
	f := newFixture(t, map[string]string{
		"areas/a-3.html": claim("x", 1), "archive/2025/areas/a.html": claim("y", 2), "archive/2025/areas/a-2.html": claim("z", 3),
	})
	result, err := f.root.Correct(context.Background(), CorrectRequest{Target: "areas/a-3.html", Claim: "w"})
	if err != nil || result.Path != a {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestCorrectKeepsTheArchivedBytes(t *testing.T) {
	files := four()
	files[a] = "\ufeff" + strings.ReplaceAll(files[a], "\n", "\r\n")
	f := newFixture(t, files)
	if err := correct(CorrectRequest{Target: a, Title: "Elsewhere", Claim: "Gate a opens at 6"})(f.root); err != nil {
		t.Fatal(err)
	}
	text := f.read("archive/2026/" + a)
	article := files[a][strings.Index(files[a], "<article>"):]
	if !strings.HasPrefix(text, "\ufeff") || strings.Count(text, "\n") != strings.Count(text, "\r\n") || !strings.HasSuffix(text, article) {
		t.Errorf("%q", text)
	}
	f.follows("archive/2026/" + a)
}

// A correction may turn out to say what another memory says: that is told, and
// refused only where it was asked (M27).
func TestCorrectTellsWhoSaysTheSame(t *testing.T) {
	roots(t, four(), func(t *testing.T, f *fixture, root *Root) {
		same := CorrectRequest{Target: a, ArticleHTML: articleOf(f.read(b)), NoDuplicate: true}
		before := f.digest()
		_, err := root.Correct(context.Background(), same)
		if failure.CodeOf(err) != failure.DuplicateContent || !strings.Contains(err.Error(), b) {
			t.Errorf("%v", err)
		}
		if f.digest() != before {
			t.Error("the refusal changed something")
		}
		same.NoDuplicate = false
		result, err := root.Correct(context.Background(), same)
		if err != nil || result.ExistingPath != b || len(result.Warnings) != 1 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

func articleOf(text string) string {
	text = text[strings.Index(text, "<article>")+len("<article>"):]
	return text[:strings.Index(text, "</article>")]
}

func TestCorrectAgainIsAlready(t *testing.T) {
	for _, title := range []string{"", "Gate hours"} {
		t.Run("title "+title, func(t *testing.T) {
			f := newFixture(t, four())
			request := CorrectRequest{Target: a, Title: title, Claim: "Gate a opens at 6"}
			first, err := f.root.Correct(context.Background(), request)
			if err != nil {
				t.Fatal(err)
			}
			before := f.digest()
			again, err := f.root.Correct(context.Background(), request)
			first.Already, first.Dangling = true, nil
			if diff := cmp.Diff(first, again); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
			request.Claim = "Gate a opens at 7"
			_, err = f.root.Correct(context.Background(), request)
			if failure.CodeOf(err) != failure.PathNotFound || !strings.Contains(Refusal(err).Suggestions[0], first.Path) {
				t.Errorf("another claim for a memory that is gone: %v", err)
			}
			if f.digest() != before {
				t.Error("changed")
			}
		})
	}
}

func TestCorrectRefuses(t *testing.T) {
	say := func(target string) CorrectRequest { return CorrectRequest{Target: target, Claim: "Gate a opens at 6"} }
	with := func(change func(*CorrectRequest)) func(*Root) error {
		request := say(a)
		change(&request)
		return correct(request)
	}
	refuse(t, four, []refusal{
		{"no target", nil, nil, correct(say("areas/none.html")), failure.PathNotFound},
		{"no memory", nil, nil, correct(say("notes.txt")), failure.PathNotFound},
		{"an archived one", map[string]string{"archive/2025/areas/x.html": claim("Old", 1)}, nil, correct(say("archive/2025/areas/x.html")), failure.InvalidMemory},
		{"a broken one", map[string]string{a: "<p>half"}, nil, correct(say(a)), failure.InvalidMemory},
		{"a task", map[string]string{a: task("Mend the gate")}, nil, correct(say(a)), failure.InvalidMemory},
		{"into a task", nil, nil, with(func(c *CorrectRequest) { c.Type = "task" }), failure.InvalidMemory},
		{"into an arc", nil, nil, with(func(c *CorrectRequest) { c.Type = "arc" }), failure.InvalidMemory},
		{"into no type", nil, nil, with(func(c *CorrectRequest) { c.Type = "rumour" }), failure.InvalidMemory},
		{"without a text", nil, nil, correct(CorrectRequest{Target: a}), failure.MissingArgument},
		{"with two texts", nil, nil, with(func(c *CorrectRequest) { c.ArticleHTML = "<p><mark>x</mark></p>" }), failure.InvalidFlag},
		{"with two marks", nil, nil, correct(CorrectRequest{Target: a, ArticleHTML: "<p><mark>x</mark><mark>y</mark></p>"}), failure.InvalidMemory},
		{"with a NUL", nil, nil, correct(CorrectRequest{Target: a, Claim: "x\x00"}), failure.InvalidMemory},
		{"onto another", nil, nil, with(func(c *CorrectRequest) { c.Path = b }), failure.DestinationExists},
		{"to no path", nil, nil, with(func(c *CorrectRequest) { c.Path, c.StrictPath = "notes.txt", true }), failure.InvalidFlag},
		{"into the archive", nil, nil, with(func(c *CorrectRequest) { c.Path = "archive/2026/areas/x.html" }), failure.InvalidFlag},
		{"its archive is taken", map[string]string{"archive/2026/" + a: claim("Old", 1)}, nil, correct(say(a)), failure.DestinationExists},
		{"other bytes", nil, nil, with(func(c *CorrectRequest) { c.Expect = Expectations{a: {Hash: &memory.Hash{1}}} }), failure.WriteConflict},
		{"unsaved changes", nil, func(f *fixture) {
			f.root.Edit(Modification{Kind: Opened, Path: a, Text: []byte("<p>half"), Version: 1})
		}, correct(say(a)), failure.DirtyDocument},
		{"during a merge", nil, func(f *fixture) {
			if err := os.WriteFile(filepath.Join(f.dir, ".git", "MERGE_HEAD"), []byte(f.head()+"\n"), 0o644); err != nil {
				f.t.Fatal(err)
			}
		}, correct(say(a)), failure.GitState},
	})
}

// On a branch without a commit the memory is added by its correction.
func TestCorrectOnAnUnbornBranch(t *testing.T) {
	f := &fixture{t: t, dir: t.TempDir()}
	hermeticGit(t)
	f.git("init", "-q", "-b", "main")
	f.write(a, four()[a])
	f.open()
	if err := correct(CorrectRequest{Target: a, Claim: "Gate a opens at 6"})(f.root); err != nil {
		t.Fatal(err)
	}
	if got := f.git("ls-tree", "-r", "--name-only", "HEAD"); got != "archive/2026/"+a+"\nareas/a-2.html\n" {
		t.Errorf("tree %q", got)
	}
	if got := f.git("status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

// A correction that is taken back leaves the tree as it was, wherever it went.
func TestCorrectThenUndoIsTheTreeOfBefore(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := newFixture(t, four())
		before := f.tree()
		edited := rapid.Bool().Draw(rt, "edited in place")
		target := rapid.SampledFrom([]string{a, b, c, d}).Draw(rt, "target")
		var err error
		if edited {
			f.write(target, strings.Replace(f.read(target), "opens at", rapid.StringMatching(`[a-z]{1,9}`).Draw(rt, "claim"), -1))
			err = correctEdit(target)(f.root)
		} else {
			err = correct(CorrectRequest{
				Target: target, Claim: "Gate " + rapid.StringMatching(`[a-z]{1,9}`).Draw(rt, "claim"),
				Title: rapid.SampledFrom([]string{"", "Gate hours"}).Draw(rt, "title"),
				Path:  rapid.SampledFrom([]string{"", target, "areas/deep/er/x.html"}).Draw(rt, "path"),
			})(f.root)
		}
		if err != nil {
			rt.Fatal(err)
		}
		if err := undo("")(f.root); err != nil {
			rt.Fatal(err)
		}
		if got := f.tree(); got != before {
			rt.Errorf("another tree than before:\n%s", f.git("diff", before, got))
		}
		want := ""
		if edited {
			want = " M " + target + "\n"
		}
		if got := f.git("status", "--porcelain"); got != want {
			rt.Errorf("status %q", got)
		}
	})
}
