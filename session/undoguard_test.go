package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/store"
)

func (f *fixture) commitMsgHook(script string) {
	f.t.Helper()
	path := filepath.Join(f.dir, ".git/hooks/commit-msg")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		f.t.Fatal(err)
	}
}

// A hook that tidied the message took with it what undo has to know.
func TestUndoLeavesWorkWhateverAHookMakesOfTheMessage(t *testing.T) {
	for _, script := range []string{`sed -i "/^Memhtml-/d" "$1"`, `sed -i "s/^Memhtml/ Memhtml/" "$1"`, `head -1 "$1" >"$1.new"; mv "$1.new" "$1"`} {
		f := newFixture(t, pools())
		f.commitMsgHook(script)
		uncommittedWork(f)
		before := f.worktree()
		for _, path := range []string{pool, handwritten} {
			if err := archive(path)(f.alone()); err != nil {
				t.Fatal(err)
			}
			if err := undo("")(f.alone()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, f.worktree()); diff != "" {
				t.Errorf("%s: %s (-before +after)\n%s", script, path, diff)
			}
		}
	}
}

// A commit whose message was written anew does not tell what it took in.
func TestUndoRefusesACommitThatDoesNotTellWhatItTookIn(t *testing.T) {
	for name, command := range map[string]func(*Root) error{
		"archive": archive(handwritten), "link": link(handwritten, "relates_to", third), "merge": merge(pool, handwritten),
		"correct": correct(CorrectRequest{Target: handwritten, Claim: edited}),
	} {
		f := newFixture(t, pools())
		f.write(handwritten, claim("The kiln fires on Friday", 4))
		if err := command(f.alone()); err != nil {
			t.Fatal(err)
		}
		f.git("commit", "-q", "--amend", "-m", f.subject())
		before := f.state()
		if err := undo("")(f.alone()); failure.CodeOf(err) != failure.GitState || !strings.Contains(err.Error(), handwritten) {
			t.Errorf("%s: %v", name, err)
		}
		if before != f.state() {
			t.Errorf("%s: the refusal changed something", name)
		}
	}
}

// What an undo left on the disk and the person then put away is not brought back
// by undoing the undo.
func TestUndoOfAnUndoBringsNothingBackThatWasPutAway(t *testing.T) {
	for name, putAway := range map[string]func(f *fixture){
		"checkout": func(f *fixture) { f.git("checkout", "-q", "--", pool) },
		"stash":    func(f *fixture) { f.git("stash", "-q") },
	} {
		f := newFixture(t, pools())
		f.write(pool, claim("The connection pool ceiling is 65", 1))
		if err := archive(pool)(f.alone()); err != nil {
			t.Fatal(err)
		}
		after := f.tree()
		if err := undo("")(f.alone()); err != nil {
			t.Fatal(err)
		}
		putAway(f)
		if err := undo("")(f.alone()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := f.git("status", "--porcelain"); got != "" || f.tree() != after {
			t.Errorf("%s: status %q", name, got)
		}
	}
	f := newFixture(t, pools())
	f.write(handwritten, claim("The kiln fires on Friday", 4))
	for _, step := range []func(*Root) error{archive(handwritten), undo("")} {
		if err := step(f.alone()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(f.dir, handwritten)); err != nil {
		t.Fatal(err)
	}
	if err := undo("")(f.alone()); err != nil || f.git("status", "--porcelain") != "" {
		t.Errorf("%v, status %q", err, f.git("status", "--porcelain"))
	}
}

// An untracked file was written under unsaved changes of an editor.
func TestUndoRefusesToWriteUnderUnsavedChanges(t *testing.T) {
	f := newFixture(t, pools())
	uncommittedWork(f)
	text := []byte(f.read(handwritten))
	f.root.Modify(Modification{Kind: Touched, Path: handwritten}, Modification{Kind: Opened, Path: handwritten, Text: text, Version: 1})
	if err := archive(handwritten)(f.root); err != nil {
		t.Fatal(err)
	}
	f.root.Modify(Modification{Kind: Changed, Path: handwritten, Text: append(text, "<!-- typed -->"...), Version: 2})
	before := f.state()
	if err := undo("")(f.root); failure.CodeOf(err) != failure.DirtyDocument {
		t.Errorf("%v", err)
	}
	if before != f.state() {
		t.Error("the refusal changed something")
	}
}

// A change of the mode was committed without a word, and undo committed it again.
func TestUndoLeavesAModeThatWasNotCommitted(t *testing.T) {
	for name, command := range map[string]func(*Root) error{
		"archive": archive(pool), "link": link(pool, "relates_to", third), "supersede": supersede(other, pool),
		"correct": correct(CorrectRequest{Target: pool, Claim: edited}), "correct in place": correct(CorrectRequest{Target: pool, Claim: edited, Path: pool}),
	} {
		f := newFixture(t, pools())
		if err := os.Chmod(filepath.Join(f.dir, pool), 0o700); err != nil {
			t.Fatal(err)
		}
		tree := f.tree()
		if err := command(f.alone()); err != nil {
			t.Fatal(err)
		}
		if err := undo("")(f.alone()); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(f.dir, pool))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.git("status", "--porcelain"); f.tree() != tree || got != " M "+pool+"\n" || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: status %q, mode %v, same tree %v", name, got, info.Mode(), f.tree() == tree)
		}
	}
}

// A private memory stays private when another takes its place, and an executable
// one executable through undo and undo.
func TestPermissionsStay(t *testing.T) {
	f := newFixture(t, pools())
	perm := func(path string) os.FileMode {
		info, err := os.Stat(filepath.Join(f.dir, path))
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	for path, mode := range map[string]os.FileMode{pool: 0o600, third: 0o755} {
		if err := os.Chmod(filepath.Join(f.dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	f.git("commit", "-q", "-a", "-m", "modes")
	if err := correct(CorrectRequest{Target: pool, Claim: edited, Path: pool})(f.alone()); err != nil || perm(pool) != 0o600 {
		t.Errorf("%v: %v", err, perm(pool))
	}
	for _, step := range []func(*Root) error{undo(""), archive(third), undo(""), undo("")} {
		if err := step(f.alone()); err != nil {
			t.Fatal(err)
		}
	}
	if perm(pool) != 0o600 || perm("archive/2026/"+third) != 0o755 {
		t.Errorf("%v, %v", perm(pool), perm("archive/2026/"+third))
	}
}

// A message that somebody made up put any blob anywhere.
func TestUndoWritesNothingThatTheCommitDidNotTouch(t *testing.T) {
	f := newFixture(t, pools())
	f.write("areas/f.html", claim("The kiln fires on Friday", 4))
	blob := strings.TrimSpace(f.git("hash-object", "-w", pool))
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "memhtml(write): f", "-m", store.UncommittedKey+": "+blob+" projects/evil/x.html\n"+
		store.UncommittedKey+": "+blob+" archive/2026/areas/f.html")
	if err := undo("")(f.alone()); err != nil {
		t.Fatal(err)
	}
	if got := f.git("status", "--porcelain", "--untracked-files=all"); got != "" {
		t.Errorf("status %q", got)
	}
}

// Git prunes what nothing refers to; a repair took the last copy off the disk.
func TestRepairKeepsWhatIsOnlyOnTheDisk(t *testing.T) {
	f := newRepository(t, pools())
	f.write(pool, claim("The connection pool ceiling is 65", 1))
	want := f.read(pool)
	rehearsal := filepath.Join(t.TempDir(), "rehearsal")
	if out, err := exec.Command("cp", "-a", f.dir, rehearsal).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	told, err := try(rehearsal, "archive", 0)
	if err != nil {
		t.Fatal(err)
	}
	told, err = try(f.dir, "archive", slices.Index(told.Steps, store.StepDelete)+1)
	if err != nil || !told.Killed {
		t.Fatalf("%+v %v", told, err)
	}
	f.git("prune", "--expire=now")
	if _, err := reopened(f.dir); err != nil {
		t.Fatal(err)
	}
	if err := undo("")(f.alone()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, f.read(pool)); diff != "" {
		t.Errorf("on disk (-before +after)\n%s", diff)
	}
}

// Line ends that git would not bring back are no reason to keep work from coming
// back to the disk.
func TestUndoLeavesALoneCR(t *testing.T) {
	f := newFixture(t, pools())
	f.git("config", "core.autocrlf", "true")
	f.git("config", "core.safecrlf", "true")
	edit := strings.Replace(f.read(pool), "</article>", "a\rb</article>", 1)
	f.write(pool, edit)
	if err := archive(pool)(f.alone()); err != nil {
		t.Fatal(err)
	}
	if err := undo("")(f.alone()); err != nil {
		t.Fatal(err)
	}
	if f.read(pool) != edit {
		t.Errorf("%q", f.read(pool))
	}
}
