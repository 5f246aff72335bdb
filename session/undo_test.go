package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

func (f *fixture) tree() string {
	f.t.Helper()
	return strings.TrimSpace(f.git("rev-parse", "HEAD^{tree}"))
}

func undo(commit string) func(*Root) error {
	return func(r *Root) error {
		_, err := r.Undo(context.Background(), UndoRequest{Commit: commit})
		return err
	}
}

func TestUndoGivesTheTreeOfBefore(t *testing.T) {
	commands := map[string]func(*Root) error{
		"archive":   archive(a),
		"supersede": supersede(a, b),
		"many":      many(Pair{a, b}, Pair{a, c}),
		"link":      link(a, "supports", b),
		"merge":     merge(a, b),
	}
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, four())
			before := f.tree()
			if err := command(f.root); err != nil {
				t.Fatal(err)
			}
			reverted, subject := f.head(), f.git("log", "-1", "--format=%s")
			after := f.tree()
			result, err := f.root.Undo(context.Background(), UndoRequest{})
			if err != nil {
				t.Fatal(err)
			}
			head := f.head()
			want := UndoResult{Done: Done{Commit: &head, At: "2026-05-02T08:30:00Z"}, Reverted: reverted, Moved: result.Moved, Touched: result.Touched}
			if diff := cmp.Diff(want, result); diff != "" {
				t.Errorf("result (-want +got)\n%s", diff)
			}
			_, text, _ := strings.Cut(subject, ": ")
			if got := f.git("log", "-1", "--format=%s"); got != "memhtml(undo): "+reverted[:7]+" "+text {
				t.Errorf("subject %q of %q", got, subject)
			}
			if got := f.tree(); got != before {
				t.Errorf("another tree than before:\n%s", f.git("diff", before, got))
			}
			if got := f.git("status", "--porcelain"); got != "" {
				t.Errorf("status %q", got)
			}
			f.fsck()
			again, err := f.root.Undo(context.Background(), UndoRequest{Commit: reverted[:9]})
			if err != nil || !again.Already || *again.Commit != head {
				t.Errorf("once more: %+v, %v", again, err)
			}
			if err := undo("")(f.root); err != nil || f.tree() != after {
				t.Errorf("the undo of the undo: %v", err)
			}
		})
	}
}

func TestUndoMovesOutOfTheArchive(t *testing.T) {
	f := newFixture(t, four())
	f.git("update-index", "--chmod=+x", a)
	f.git("checkout-index", "-f", a)
	f.git("commit", "-q", "-m", "executable")
	if err := archive(a)(f.root); err != nil {
		t.Fatal(err)
	}
	result, err := f.root.Undo(context.Background(), UndoRequest{Commit: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"archive/2026/" + a: a}, result.Moved); diff != "" {
		t.Errorf("moved (-want +got)\n%s", diff)
	}
	if got := f.git("ls-files", "--stage", a); !strings.HasPrefix(got, "100755") {
		t.Errorf("mode %q", got)
	}
}

// Commits that touch other files do not stand in the way, nor does what is
// staged of them.
func TestUndoOfAnOlderCommit(t *testing.T) {
	f := newFixture(t, four())
	if err := archive(a)(f.root); err != nil {
		t.Fatal(err)
	}
	first := f.head()
	if err := archive(b)(f.root); err != nil {
		t.Fatal(err)
	}
	f.write("notes.txt", "mine")
	f.git("add", "notes.txt")
	if err := undo(first)(f.root); err != nil {
		t.Fatal(err)
	}
	if got := f.git("status", "--porcelain"); got != "A  notes.txt\n" {
		t.Errorf("status %q", got)
	}
	if f.read(a) == "" {
		t.Error("not back")
	}
}

func TestUndoSaysWhatStandsInTheWay(t *testing.T) {
	f := newFixture(t, four())
	if err := supersede(a, b)(f.root); err != nil {
		t.Fatal(err)
	}
	first := f.head()
	if err := link(a, "supports", c)(f.root); err != nil {
		t.Fatal(err)
	}
	before := f.state()
	_, err := f.root.Undo(context.Background(), UndoRequest{Commit: first})
	if failure.CodeOf(err) != failure.WriteConflict || !strings.Contains(err.Error(), f.head()[:7]) || !strings.Contains(err.Error(), a) {
		t.Errorf("%v", err)
	}
	f.write("archive/2026/"+b, "mine")
	_, err = f.root.Undo(context.Background(), UndoRequest{})
	if err != nil {
		t.Errorf("another file is changed: %v", err)
	}
	_, err = f.root.Undo(context.Background(), UndoRequest{Commit: first})
	if failure.CodeOf(err) != failure.WriteConflict || !strings.Contains(err.Error(), "archive/2026/"+b) {
		t.Errorf("%v", err)
	}
	if before == f.state() {
		t.Error("nothing was undone")
	}
}

func TestUndoRefuses(t *testing.T) {
	archived := func(f *fixture) {
		if err := archive(a)(f.root); err != nil {
			f.t.Fatal(err)
		}
	}
	refuse(t, four, []refusal{
		{"nothing of ours", nil, nil, undo(""), failure.GitState},
		{"a commit by hand", nil, nil, undo("HEAD"), failure.GitState},
		{"no such commit", nil, nil, undo("0123abcd"), failure.InvalidFlag},
		{"no id", nil, nil, undo("main"), failure.InvalidFlag},
		{"no such whole id", nil, nil, undo(strings.Repeat("1", 40)), failure.InvalidFlag},
		{"the first", nil, func(f *fixture) { f.git("commit", "-q", "--amend", "-m", "memhtml(init): scaffold") }, undo(""), failure.GitState},
		{"a merge", nil, func(f *fixture) {
			f.git("checkout", "-q", "-b", "side")
			f.git("commit", "-q", "--allow-empty", "-m", "side")
			f.git("checkout", "-q", "main")
			archived(f)
			f.git("merge", "-q", "-m", "memhtml(batch): a merge", "side")
		}, undo(""), failure.GitState},
		{"an empty one", nil, func(f *fixture) { f.git("commit", "-q", "--allow-empty", "-m", "memhtml(write): x") }, undo(""), failure.GitState},
		{"edited since", nil, func(f *fixture) { archived(f); f.write("archive/2026/"+a, "mine") }, undo(""), failure.WriteConflict},
		{"removed since", nil, func(f *fixture) { archived(f); f.remove("archive/2026/" + a) }, undo(""), failure.WriteConflict},
		{"made anew since", nil, func(f *fixture) { archived(f); f.write(a, claim("Mine", 5)) }, undo(""), failure.WriteConflict},
		{"staged since", nil, func(f *fixture) {
			archived(f)
			text := f.read("archive/2026/" + a)
			f.write("archive/2026/"+a, text+"<!-- mine -->")
			f.git("add", "-A")
			f.write("archive/2026/"+a, text)
		}, undo(""), failure.GitState},
		{"unsaved changes", nil, func(f *fixture) {
			archived(f)
			f.root.Edit(
				Modification{Kind: Opened, Path: "archive/2026/" + a, Text: []byte(f.read("archive/2026/" + a)), Version: 1},
				Modification{Kind: Changed, Path: "archive/2026/" + a, Text: []byte("<p>mine"), Version: 2})
		}, undo(""), failure.DirtyDocument},
		{"an edited tab of the old place", nil, func(f *fixture) {
			f.root.Edit(Modification{Kind: Opened, Path: a, Text: []byte(f.read(a)), Version: 1})
			archived(f)
			f.root.Edit(Modification{Kind: Changed, Path: a, Text: []byte("<p>mine"), Version: 2})
		}, undo(""), failure.DirtyDocument},
		{"a switch meanwhile", nil, func(f *fixture) {
			archived(f)
			f.git("checkout", "-q", "HEAD~1")
		}, undo("HEAD"), failure.GitState},
	})
}

// On a detached HEAD it works, with the store's warning (D13).
func TestUndoOnADetachedHead(t *testing.T) {
	f := newFixture(t, four())
	if err := archive(a)(f.root); err != nil {
		t.Fatal(err)
	}
	f.git("checkout", "-q", "--detach")
	result, err := f.root.Undo(context.Background(), UndoRequest{})
	if err != nil || len(result.Warnings) != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

// Any run of commands, undone from the last to the first, ends in the tree it
// began with.
func TestUndoOfARandomRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := newFixture(t, four())
		before := f.tree()
		paths := []string{a, b, c, d}
		draw := func(label string) string { return rapid.SampledFrom(paths).Draw(rt, label) }
		var made []string
		for range rapid.IntRange(1, 4).Draw(rt, "commands") {
			was := f.head()
			switch rapid.IntRange(0, 3).Draw(rt, "command") {
			case 0:
				_ = archive(draw("archived"))(f.root)
			case 1:
				_ = supersede(draw("winner"), draw("loser"))(f.root)
			case 2:
				_ = link(draw("source"), "supports", draw("target"))(f.root)
			case 3:
				_ = merge(draw("keep"), draw("drop"))(f.root)
			}
			if now := f.head(); now != was {
				made = append(made, now)
			}
		}
		for i := len(made) - 1; i >= 0; i-- {
			if err := undo(made[i])(f.root); err != nil {
				rt.Fatalf("undo of %s: %v", f.git("log", "-1", "--format=%s", made[i]), err)
			}
		}
		if got := f.tree(); got != before {
			rt.Errorf("another tree than before:\n%s", f.git("diff", before, got))
		}
		if got := f.git("status", "--porcelain"); got != "" {
			rt.Errorf("status %q", got)
		}
	})
}

// TestUndoKeepsLineEnds works on files that git has checked out with CR LF.
func TestUndoKeepsLineEnds(t *testing.T) {
	for name, command := range map[string]func(*Root) error{
		"archive": archive(a), "supersede": supersede(a, b), "merge": merge(a, b),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, four())
			f.git("config", "core.autocrlf", "true")
			f.git("rm", "-q", "-r", "--cached", ".")
			f.git("reset", "-q", "--hard")
			before, was := f.tree(), f.read(a)
			if !strings.Contains(was, "\r\n") {
				t.Fatal("not checked out with CR LF")
			}
			if err := command(f.root); err != nil {
				t.Fatal(err)
			}
			if f.tree() == before {
				t.Fatal("nothing was changed")
			}
			if _, err := f.root.Undo(context.Background(), UndoRequest{}); err != nil {
				t.Fatal(err)
			}
			if got := f.tree(); got != before {
				t.Errorf("another tree than before:\n%s", f.git("diff", before, got))
			}
			if got := f.read(a); got != was {
				t.Errorf("the file is %q", got)
			}
			if got := f.git("status", "--porcelain"); got != "" {
				t.Errorf("status %q", got)
			}
		})
	}
}
