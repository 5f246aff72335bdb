package session

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// state is everything a refusal must leave as it was.
func (f *fixture) state() string {
	f.t.Helper()
	return f.git("status", "--porcelain=v2", "--untracked-files=all") + f.git("rev-parse", "HEAD") +
		f.git("ls-files", "--stage") + f.git("ls-files", "--others") + f.git("diff")
}

func (f *fixture) metas(path string) memory.Metas {
	f.t.Helper()
	return memory.Parse([]byte(f.read(path))).Metas
}

func TestArchiveIsOneCommit(t *testing.T) {
	f := newFixture(t, pools())
	f.write("notes.txt", "mine")
	f.git("add", "notes.txt")
	result, err := f.root.Archive(context.Background(), ArchiveRequest{Path: other, Reason: "duplicate of " + pool})
	if err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(f.git("rev-parse", "HEAD"))
	want := ArchiveResult{
		Done: Done{Commit: &head, At: "2026-05-02T08:30:00Z", Dangling: noneDangle()},
		Path: other, ArchivePath: "archive/2026/" + other,
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got)\n%s", diff)
	}
	if got, want := f.git("log", "-1", "--format=%s"), "memhtml(archive): "+other; !strings.HasPrefix(got, want) {
		t.Errorf("subject %q", got)
	}
	if got, want := f.git("status", "--porcelain"), "A  notes.txt\n"; got != want {
		t.Errorf("status %q, want %q", got, want)
	}
	metas := f.metas(result.ArchivePath)
	if metas.Status != "archived" || metas.Archived != "2026-05-02T08:30:00Z" || metas.Updated != metas.Archived {
		t.Errorf("stamps %+v", metas)
	}
	if metas.ValidUntil != "" || metas.SupersededBy != "" {
		t.Errorf("a plain archive stamped %+v", metas)
	}
	f.want("after the commit")
	f.fsck()
}

func (f *fixture) fsck() {
	f.t.Helper()
	if out, err := exec.Command("git", "-C", f.dir, "fsck", "--strict").CombinedOutput(); err != nil {
		f.t.Errorf("fsck: %v\n%s", err, out)
	}
}

func TestArchiveAgainIsAlready(t *testing.T) {
	f := newFixture(t, pools())
	first, err := f.root.Archive(context.Background(), ArchiveRequest{Path: other})
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.root.Archive(context.Background(), ArchiveRequest{Path: other})
	if err != nil {
		t.Fatal(err)
	}
	want := first
	want.Already, want.Dangling = true, nil
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("second answer (-want +got)\n%s", diff)
	}
}

func TestSupersedeHandsValidityOver(t *testing.T) {
	untilEarlier := `<meta name="memhtml-valid-until" content="2025-01-01">` + "\n"
	untilLater := `<meta name="memhtml-valid-until" content="2030-01-01">` + "\n"
	from := `<meta name="memhtml-valid-from" content="2026-02-03">` + "\n"
	tests := []struct {
		name             string
		winner, loser    string
		wantFrom, wantTo string
	}{
		{"from now", claim("The pool ceiling is 1", 1), claim("The pool ceiling is 2", 2), "2026-05-02T08:30:00Z", "2026-05-02T08:30:00Z"},
		{"from its own meta", claim("The pool ceiling is 1", 1, from), claim("The pool ceiling is 2", 2), "2026-02-03", "2026-02-03"},
		{
			"from the event", strings.Replace(claim("The pool ceiling is 1", 1), "</p>", `</p><p><time datetime="2026-03-04">then</time></p>`, 1),
			claim("The pool ceiling is 2", 2), "2026-03-04", "2026-03-04",
		},
		{"an earlier end stays", claim("The pool ceiling is 1", 1, from), claim("The pool ceiling is 2", 2, untilEarlier), "2026-02-03", "2025-01-01"},
		{"a later end does not", claim("The pool ceiling is 1", 1, from), claim("The pool ceiling is 2", 2, untilLater), "2026-02-03", "2026-02-03"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"areas/w.html": test.winner, "areas/l.html": test.loser})
			result, err := f.root.Supersede(context.Background(), SupersedeRequest{Winner: "areas/w.html", Loser: "areas/l.html"})
			if err != nil {
				t.Fatal(err)
			}
			archived := result.Archived[0].ArchivePath
			loser, winner := f.metas(archived), f.metas("areas/w.html")
			got := []string{winner.ValidFrom, loser.ValidUntil, loser.SupersededBy, loser.Status, f.git("log", "-1", "--format=%s")}
			want := []string{test.wantFrom, test.wantTo, "/areas/w.html", "archived", "memhtml(consolidate): areas/w.html supersedes areas/l.html\n"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			links := memory.Parse([]byte(f.read("areas/w.html"))).Links
			if len(links) != 1 || links[0].Rel != "supersedes" || links[0].Href != "/"+archived {
				t.Errorf("links %+v", links)
			}
			if got := f.git("status", "--porcelain"); got != "" {
				t.Errorf("status %q", got)
			}
			f.want("after the commit")
		})
	}
}

func TestRefusalsChangeNothing(t *testing.T) {
	task := strings.Replace(claim("Mend the gate", 4, `<meta name="memhtml-task-status" content="todo">`+"\n"), "semantic", "task", 1)
	tests := []struct {
		name    string
		files   map[string]string
		prepare func(f *fixture)
		run     func(r *Root) error
		want    failure.Code
	}{
		{"itself", nil, nil, supersede(pool, pool), failure.RoleConflict},
		{"missing", nil, nil, archive("areas/none.html"), failure.PathNotFound},
		{"not a memory", nil, nil, archive("README.html"), failure.PathNotFound},
		{"out of the root", nil, nil, archive("areas/../../x.html"), failure.PathNotFound},
		{"archived", map[string]string{"archive/2025/areas/x.html": claim("x", 1)}, nil, archive("archive/2025/areas/x.html"), failure.InvalidMemory},
		{"a task loses", map[string]string{"areas/t.html": task}, nil, supersede(pool, "areas/t.html"), failure.InvalidMemory},
		{"broken winner", map[string]string{"areas/b.html": "<p>"}, nil, supersede("areas/b.html", pool), failure.InvalidMemory},
		{"no head", map[string]string{"areas/b.html": "just words"}, nil, archive("areas/b.html"), failure.InvalidMemory},
		{"destination", map[string]string{"archive/2026/" + pool: claim("x", 1)}, nil, archive(pool), failure.DestinationExists},
		{"unsaved", nil, func(f *fixture) {
			f.root.Edit(Modification{Kind: Opened, Path: pool, Text: []byte("<p>half"), Version: 1})
		}, archive(pool), failure.DirtyDocument},
		{"another version", nil, func(f *fixture) {
			f.root.Edit(Modification{Kind: Opened, Path: pool, Text: []byte(f.read(pool)), Version: 7})
		}, func(r *Root) error {
			version := int32(6)
			_, err := r.Archive(context.Background(), ArchiveRequest{Path: pool, Expect: Expectations{pool: {Version: &version}}})
			return err
		}, failure.StaleDocument},
		{"the version of a closed document", nil, nil, func(r *Root) error {
			version := int32(1)
			_, err := r.Archive(context.Background(), ArchiveRequest{Path: pool, Expect: Expectations{pool: {Version: &version}}})
			return err
		}, failure.StaleDocument},
		{"other bytes in the copy that is kept", nil, nil, func(r *Root) error {
			hash := memory.Hash{1}
			_, err := r.Archive(context.Background(), ArchiveRequest{Path: pool, Expect: Expectations{other: {Hash: &hash}}})
			return err
		}, failure.WriteConflict},
		{"no copy that is kept", nil, nil, func(r *Root) error {
			hash := memory.Hash{1}
			_, err := r.Archive(context.Background(), ArchiveRequest{Path: pool, Expect: Expectations{"areas/gone.html": {Hash: &hash}}})
			return err
		}, failure.PathNotFound},
		{"other bytes in a third file", nil, nil, func(r *Root) error {
			hash := memory.Hash{1}
			_, err := r.Supersede(context.Background(), SupersedeRequest{Winner: pool, Loser: other, Expect: Expectations{"areas/gone.html": {Hash: &hash}}})
			return err
		}, failure.PathNotFound},
		{"other bytes", nil, nil, func(r *Root) error {
			hash := memory.Hash{1}
			_, err := r.Archive(context.Background(), ArchiveRequest{Path: pool, Expect: Expectations{pool: {Hash: &hash}}})
			return err
		}, failure.WriteConflict},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := pools()
			for path, text := range test.files {
				files[path] = text
			}
			f := newFixture(t, files)
			if test.prepare != nil {
				test.prepare(f)
			}
			before := f.state()
			err := test.run(f.root)
			if err == nil || failure.CodeOf(err) != test.want {
				t.Errorf("error %v with code %s, want %s", err, failure.CodeOf(err), test.want)
			}
			if diff := cmp.Diff(before, f.state()); diff != "" {
				t.Errorf("changed (-before +after)\n%s", diff)
			}
		})
	}
}

func archive(path string) func(*Root) error {
	return func(r *Root) error {
		_, err := r.Archive(context.Background(), ArchiveRequest{Path: path})
		return err
	}
}

func supersede(winner, loser string) func(*Root) error {
	return func(r *Root) error {
		_, err := r.Supersede(context.Background(), SupersedeRequest{Winner: winner, Loser: loser})
		return err
	}
}

// The head's bytes may change in no other lines, and the article's in none.
func TestArchiveKeepsLineEndingAndArticle(t *testing.T) {
	files := pools()
	files[pool] = "\ufeff" + strings.ReplaceAll(files[pool], "\n", "\r\n")
	f := newFixture(t, files)
	before := f.read(pool)
	result, err := f.root.Archive(context.Background(), ArchiveRequest{Path: pool})
	if err != nil {
		t.Fatal(err)
	}
	after := f.read(result.ArchivePath)
	article := before[strings.Index(before, "<article>"):]
	if !strings.HasSuffix(after, article) || strings.Count(after, "\n") != strings.Count(after, "\r\n") || !strings.HasPrefix(after, "\ufeff") {
		t.Errorf("bytes before %q\nafter %q", before, after)
	}
}

// One command must not cost a pass over the corpus.
func TestCommandWorksOnARootThatIsNotIndexed(t *testing.T) {
	f := newFixture(t, pools())
	root, err := Open(context.Background(), f.dir, Options{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := root.Archive(context.Background(), ArchiveRequest{Path: other}); err != nil {
		t.Fatal(err)
	}
	if n := root.View().Snapshot.Len(); n != 0 {
		t.Errorf("the command looked at %d files", n)
	}
	if _, err := f.root.Poll(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.want("seen by another process")
}
