package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// look is one look at the folders.
func (f *fixture) look() Change {
	f.t.Helper()
	change, err := f.root.look(context.Background(), false)
	if err != nil {
		f.t.Fatal(err)
	}
	return change
}

// did returns what was done since the last call.
func (f *fixture) did() func() Work {
	before := f.root.work.report()
	return func() Work {
		now := f.root.work.report()
		defer func() { before = now }()
		return Work{Passes: now.Passes - before.Passes, Parsed: now.Parsed - before.Parsed}
	}
}

// numbered are n memories in a folder that say something each.
func numbered(n int) map[string]string {
	files := pools()
	for i := range n {
		files[fmt.Sprintf("areas/many/%d.html", i)] = claim(fmt.Sprintf("Number %d is odd or even", i), 4)
	}
	return files
}

// Files with the same bytes are no change, whatever else moved (typescript-go#4593).
func TestTouchedFilesCostNoParse(t *testing.T) {
	f := newFixture(t, numbered(500))
	did, before := f.did(), f.root.View()
	later := time.Now().Add(time.Minute)
	for i := range 500 {
		if err := os.Chtimes(filepath.Join(f.dir, fmt.Sprintf("areas/many/%d.html", i)), later, later); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.root.Poll(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := did(); got != (Work{}) || f.root.View() != before {
		t.Errorf("touching 500 files cost %+v", got)
	}
}

// A folder that is moved is one change, in which nothing is parsed, and its files
// are what they are for a fresh start.
func TestMovedFolderIsOnePassWithoutAParse(t *testing.T) {
	f := newFixture(t, numbered(200))
	did := f.did()
	f.git("mv", "areas/many", "areas/other")
	f.git("commit", "-q", "-m", "move")
	change := f.look()
	if got := did(); got != (Work{Passes: 1}) || len(change.Affected) != 400 {
		t.Errorf("a move of 200 files cost %+v and affected %d", got, len(change.Affected))
	}
	moved := f.files()
	f.open()
	if diff := cmp.Diff(f.files(), moved); diff != "" {
		t.Errorf("(-fresh +moved)\n%s", diff)
	}
}

// files are all facts of the View's files.
func (f *fixture) files() []index.File {
	var files []index.File
	for file := range f.root.View().Snapshot.All() {
		files = append(files, *file)
	}
	return files
}

// A look at the folders sees what editors and git do to files, and HEAD.
func TestLookAtTheFolders(t *testing.T) {
	f := newFixture(t, pools())
	conflict := other + " frame-key-conflict " + pool
	f.write("areas/new/copy.html", f.read(third))
	f.look()
	f.want("a copy in a new folder", "areas/new/copy.html duplicate "+third, conflict)
	f.write("safe", claim("The connection pool ceiling is 64", 2))
	if err := os.Rename(filepath.Join(f.dir, "safe"), filepath.Join(f.dir, other)); err != nil {
		t.Fatal(err)
	}
	f.look()
	f.want("saved in place of the old one", "areas/new/copy.html duplicate "+third, other+" duplicate "+pool)
	if err := os.RemoveAll(filepath.Join(f.dir, "areas/new")); err != nil {
		t.Fatal(err)
	}
	f.git("checkout", "-q", other)
	f.look()
	f.want("as it was", conflict)
	f.write("areas/a.html", f.read(third))
	f.look()
	f.want("a copy that is not in HEAD", "areas/a.html duplicate "+third, conflict)
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "both")
	f.look()
	f.want("both in HEAD", third+" duplicate areas/a.html", conflict)
}

// What was saved while every file was looked at is newer than what the look saw
// of it.
func TestSweepDoesNotTakeBackWhatWasSaved(t *testing.T) {
	f := newFixture(t, pools())
	f.write(third, claim("Seen by the sweep", 3))
	f.write("areas/going.html", claim("Drain a node before it is stopped", 4))
	swept, err := f.root.sweep(context.Background())
	f.write(third, claim("The connection pool ceiling is 7", 3))
	f.remove("areas/going.html")
	f.root.Modify(Modification{Kind: Touched, Path: third}, Modification{Kind: Touched, Path: "areas/going.html"})
	want := []string{third + " frame-key-conflict " + pool, other + " frame-key-conflict " + pool}
	f.want("saved", want...)
	if _, err := f.root.takeIn(context.Background(), swept, err, true); err != nil {
		t.Fatal(err)
	}
	f.want("after the sweep", want...)
}

// The commit that was seen last may be gone, after an amend and a gc: what moved
// since is found by looking at everything.
func TestCommitBeforeIsGone(t *testing.T) {
	f := newFixture(t, pools())
	f.write("areas/a.html", f.read(third))
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "both")
	f.look()
	f.want("both in HEAD", third+" duplicate areas/a.html", other+" frame-key-conflict "+pool)
	f.git("rm", "-q", "--cached", "areas/a.html")
	f.git("commit", "-q", "--amend", "--allow-empty", "-m", "one")
	f.git("reflog", "expire", "--expire=now", "--all")
	f.git("gc", "-q", "--prune=now")
	f.look()
	f.want("the copy is not in HEAD", "areas/a.html duplicate "+third, other+" frame-key-conflict "+pool)
}

// An index of a commit that is not to be had is of nobody knows what.
func TestIndexOfAnotherRepositoryIsRebuilt(t *testing.T) {
	f := newFixture(t, pools())
	rebuilt := func() string {
		t.Helper()
		status, err := f.root.Status(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return status.Rebuilt
	}
	if got := rebuilt(); !strings.HasPrefix(got, "There was no index database") {
		t.Errorf("the first start: %q", got)
	}
	f.reopen()
	if got := rebuilt(); got != "" {
		t.Errorf("the second start: %q", got)
	}
	unrelated := index.Watermark{Head: strings.Repeat("1", 40)}
	stale := index.Row{File: index.NewFile(third, []byte(claim("Not what the file says", 1)))}
	stale.Stat = f.root.stats[third]
	if err := f.root.cache.db.Replace(context.Background(), func(yield func(index.Row) bool) { yield(stale) }, unrelated); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	if got := rebuilt(); got != "The index database was of a commit that is not to be had." {
		t.Errorf("with an index of another commit: %q", got)
	}
	f.want("with an index of another commit", other+" frame-key-conflict "+pool)
	if got := f.root.View().Snapshot.File(third).Gist; got != "Drain a node before it is stopped" {
		t.Errorf("gist %q", got)
	}
	f.reopen()
	if got := rebuilt(); got != "" {
		t.Errorf("once it was rebuilt: %q", got)
	}
}

func (f *fixture) reopen() {
	f.t.Helper()
	if err := f.root.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.open()
}
